// The board as a file: SVG, and PNG made of it.

import { boardPicture } from "../../src/analysis/page/board.js";
import { svg } from "./elements";
import { type Position, type Square, nameOf } from "./rules";

/** Pixels of a side of the SVG, and of the PNG. */
const SVG_SIDE = 480;
const PNG_SIDE = 960;

/** A file has no style sheet. */
const COLORS = { board: "#2f7d4f", grid: "#1d5537", letters: "#dfe9e2", X: "#16191c", O: "#f6f5f0", best: "#ffd34d", last: "#e2574c" };

export function boardSvg({ cells }: Position, last: Square | undefined): string {
  const marks = last === undefined ? [] : [{ square: nameOf(last), kind: "last" as const }];
  const view = boardPicture(cells, "Othello", marks, COLORS);
  view.setAttribute("width", String(SVG_SIDE));
  view.setAttribute("height", String(SVG_SIDE));
  view.setAttribute("font-family", "system-ui, sans-serif");
  view.prepend(svg("rect", { x: -4, y: -4, width: 88, height: 88, rx: 1.5, fill: COLORS.grid }));
  return new XMLSerializer().serializeToString(view);
}

export async function boardPng(position: Position, last: Square | undefined): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([boardSvg(position, last)], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = PNG_SIDE;
    canvas.getContext("2d")!.drawImage(image, 0, 0, PNG_SIDE, PNG_SIDE);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
    if (!blob) throw new Error("PNG");
    return blob;
  } finally {
    URL.revokeObjectURL(url);
  }
}

export function save(name: string, blob: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
