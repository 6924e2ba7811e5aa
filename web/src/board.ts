// The board as a grid of 64 cells, for a mouse, for fingers, for a keyboard and for a screen reader.

import { h } from "./elements";
import { type Position, type Square, legalMoves, nameOf } from "./rules";
import type { Texts } from "./texts";

export interface CellValue {
  text: string;
  isBest: boolean;
  isProven: boolean;
}

export interface BoardView {
  position: Position;
  last: Square | undefined;
  hint: Square | undefined;
  /** Are legal moves to be shown? */
  isOpen: boolean;
  /** Is a1 below, on the right? */
  isFlipped?: boolean;
  values: Map<Square, CellValue>;
}

export interface BoardActions {
  choose(square: Square): void;
  key(key: string): boolean;
}

export class Board {
  readonly element: HTMLElement;
  private readonly cells: HTMLElement[] = [];
  /** What the cells show. */
  private readonly drawn: string[] = [];
  private focused: Square = 19;

  constructor(
    private texts: Texts,
    private readonly actions: BoardActions,
    label: string,
  ) {
    const letters = h("div", { class: "letters", "aria-hidden": "true" }, ...[..."abcdefgh"].map((letter) => h("span", {}, letter)));
    const numbers = h("div", { class: "numbers", "aria-hidden": "true" }, ...[..."12345678"].map((number) => h("span", {}, number)));
    const grid = h("div", { class: "grid", role: "grid", "aria-label": label, onkeydown: (event: KeyboardEvent) => this.keydown(event) });
    for (let rank = 0; rank < 8; rank++) {
      const row = h("div", { class: "row", role: "row" });
      for (let file = 0; file < 8; file++) {
        const square = 8 * rank + file;
        const onclick = () => {
          this.moveTo(square, false);
          actions.choose(square);
        };
        const cell = h("div", { class: "cell", role: "gridcell", tabindex: square === this.focused ? 0 : -1, onclick, onfocus: () => this.moveTo(square, false) });
        cell.append(h("span", { class: "disc" }), h("span", { class: "value" }));
        this.cells.push(cell);
        row.append(cell);
      }
      grid.append(row);
    }
    this.element = h("div", { class: "board" }, letters, numbers, grid);
  }

  setTexts(texts: Texts, label: string): void {
    this.texts = texts;
    this.element.querySelector(".grid")!.setAttribute("aria-label", label);
  }

  show({ position, last, hint, isOpen, isFlipped = false, values }: BoardView): void {
    const legal = new Set(legalMoves(position));
    if (isFlipped !== this.isFlipped) this.flip(isFlipped);
    this.cells.forEach((cell, square) => {
      const content = position.cells[square]!;
      const isLegal = legal.has(square);
      const value = values.get(square);
      const classes = ["cell", content === "-" ? "" : content, isLegal && isOpen ? "legal" : "", square === last ? "last" : "", square === hint ? "hint" : "", value ? "valued" : "", value && value.text.length > 4 ? "long" : "", value?.isBest ? "best" : ""].filter(Boolean).join(" ");
      const { texts } = this;
      const words = [nameOf(square), content === "X" ? texts.black : content === "O" ? texts.white : texts.empty];
      if (isLegal) words.push(texts.legal);
      if (square === last) words.push(texts.lastMove);
      if (value) words.push(value.text.replace("=", "") + (value.isProven ? ` ${texts.proven}` : ""));
      // What stays costs nothing: values come many times a second.
      const label = words.join(", ");
      if (this.drawn[square] === classes + label) return;
      this.drawn[square] = classes + label;
      cell.className = classes;
      cell.lastChild!.textContent = value?.text ?? "";
      cell.setAttribute("aria-label", label);
    });
  }

  private isFlipped = false;

  /** Turns the board by half a turn: the cells are the same, in the other order. */
  private flip(isFlipped: boolean): void {
    this.isFlipped = isFlipped;
    for (const parent of this.element.querySelectorAll(".letters, .numbers, .grid, .row")) parent.append(...[...parent.children].reverse());
  }

  focus(): void {
    this.cells[this.focused]!.focus();
  }

  private moveTo(square: Square, isFocused: boolean): void {
    this.cells[this.focused]!.tabIndex = -1;
    this.focused = square;
    this.cells[square]!.tabIndex = 0;
    if (isFocused) this.cells[square]!.focus();
  }

  private keydown(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const turn = (square: Square) => (this.isFlipped ? 63 - square : square);
    const at = turn(this.focused);
    const [file, rank] = [at % 8, at >> 3];
    const to: Record<string, [number, number]> = {
      ArrowLeft: [Math.max(0, file - 1), rank],
      ArrowRight: [Math.min(7, file + 1), rank],
      ArrowUp: [file, Math.max(0, rank - 1)],
      ArrowDown: [file, Math.min(7, rank + 1)],
      Home: [0, rank],
      End: [7, rank],
    };
    const target = to[event.key];
    if (target) this.moveTo(turn(8 * target[1] + target[0]), true);
    else if (event.key === "Enter" || event.key === " ") this.actions.choose(this.focused);
    else if (!this.actions.key(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  }
}
