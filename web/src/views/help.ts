// Keys, and the rules for a beginner.

import { ask } from "../dialogs";
import { button, h } from "../elements";
import { locale } from "../state";
import { boardPicture } from "../../../src/analysis/page/board.js";
import { START, nameOf, played } from "../rules";

const en = {
  afterF5: "Black has played f5",
  ruleHelp: [
    "Black begins; then the players take turns.",
    "A disc is put on an empty square so that it and another own disc hold discs of the other side between them, in a line: along, across or aslant. All discs between are turned.",
    "A move has to turn at least one disc. Who cannot move, passes.",
    "The game ends when nobody can move. Who has more discs, wins; empty squares count for the winner.",
    "Corners are never turned. The squares beside them often give the corner away.",
  ],
  keys: "Keys",
  keyHelp: [
    ["← →", "go through the game; on the board they move from square to square"], [", .", "go through the game, from the board too"], ["Enter", "plays on the square"],
    ["Backspace", "takes back, on the board"], ["A", "analyses the game"], ["V", "values of all moves"], ["F", "turns the board round"], ["?", "this page"],
  ] as [string, string][],
};

const ja: typeof en = {
  afterF5: "黒がf5に打ったところ",
  ruleHelp: [
    "黒から始め、交互に打ちます。",
    "縦・横・斜めに、置いた石と自分の別の石で相手の石をはさむように空きマスに打ちます。はさんだ石はすべて裏返ります。",
    "1つも裏返せないマスには打てません。打てるマスがなければパスです。",
    "どちらも打てなくなれば終わりです。石の多い方が勝ちで、空きマスは勝者の石に数えます。",
    "隅の石は裏返りません。隅の隣は隅を与えやすいマスです。",
  ],
  keys: "キー",
  keyHelp: [
    ["← →", "棋譜を前後（盤の上ではマスを移動）"], [", .", "盤の上でも棋譜を前後"], ["Enter", "そのマスに打つ"],
    ["Backspace", "盤の上で待った"], ["A", "棋譜を解析"], ["V", "すべての手の評価値"], ["F", "盤を回す"], ["?", "このページ"],
  ],
};

export function showHelp(): void {
  const texts = { ...locale.texts, ...(locale.language === "ja" ? ja : en) };
  const first = played(START, 37)!;
  const picture = (cells: string, label: string, square?: number) =>
    h("figure", {}, boardPicture(cells, label, square === undefined ? [] : [{ square: nameOf(square), kind: "last" }]), h("figcaption", { class: "faint" }, label));
  const keys = texts.keyHelp.map(([key, what]) => h("li", {}, h("kbd", {}, key), ` ${what}`));
  void ask(texts.rules, (close) => [
    h("div", { class: "figures" }, picture(START.cells, texts.startPosition), picture(first.cells, texts.afterF5, 37)),
    h("ol", {}, ...texts.ruleHelp.map((rule) => h("li", {}, rule))),
    h("div", { class: "keyboard" }, h("h3", {}, texts.keys), h("ul", { class: "plain keylist" }, ...keys)),
    h("div", { class: "buttons end" }, button(texts.close, () => close(), { class: "primary" })),
  ]);
}
