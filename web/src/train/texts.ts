// What the trainer says, in both languages: it is loaded with it.

import { locale } from "../state";
import type { Mode } from "./progress";
import type { Kind, Theme } from "./puzzles";
import type { Fact } from "./words";

const en = {
  modes: { puzzle: "Puzzle", streak: "Streak", daily: "Puzzle of the day", again: "Once more", mistakes: "My mistakes", endgame: "Endgame", opening: "Openings" } as Record<Mode, string>,
  ask: {
    win: (side: string) => `${side} to move: just one move wins`,
    draw: (side: string) => `${side} to move: nothing wins, just one move draws`,
    best: (side: string) => `${side} to move: find the best move`,
    count: (side: string) => `${side} to move: what is the final score for ${side}, with best play?`,
  } as Record<Kind, (side: string) => string>,
  findBetter: (side: string, move: string) => `${side} to move. In your game ${move} was played: find better`,
  playOut: (side: string, score: string, against: string) => `You play ${side} at ${score}: keep it against ${against}`,
  drawing: (empties: number) => `A position with ${empties} empty squares is drawn from a game between people, and proven`,
  against: "Against",
  exactDefence: "the exact defence",
  people: "players of a rating",
  peopleOf: (elo: number) => `players of ${elo}`,
  emptySquares: (n: number) => `${n} empty squares`,
  emptySquaresLabel: "Empty squares",
  opening: "The line is played out to where it is asked for",
  bookEnds: (side: string, name: string) => `${name ? `${name}: ` : ""}you have played ${side} to the end of the lesson`,
  goodToo: (move: string, best: string, score: string) => `${move} is good; the book has ${best} (${score}).`,
  notInBook: (move: string, best: string) => `${move} is good, but the book does not go on there: play ${best}.`,
  openingAsk: (side: string, name: string) => `${name}: ${side} to move. What belongs here?`,
  ownLines: "My own lines, each of which ends with a move of mine (f5d6c3d3c4). They are asked for first",
  notFromStart: "A line does not begin with the first move.",
  right: "Right!",
  goesOn: "Right. Go on.",
  wrong: (move: string) => `${move} is not it.`,
  fewer: (move: string, discs: number) => `${move} keeps the result, with ${discs} discs fewer. Try again: there is better.`,
  after: (move: string, score: string, line: string) => `After ${move} it is ${score}: ${line}`,
  solution: (line: string, score: string) => `Best: ${line} (${score})`,
  still: (score: string) => `Still ${score}`,
  now: (score: string, lost: number) => `Now ${score}: ${lost} discs lost`,
  ended: (lost: number) => (lost ? `The end: you have lost ${lost} discs` : "The end: nothing lost, perfect!"),
  next: "Next",
  show: "Show the answer",
  answer: "Answer",
  yourScore: "Final score",
  rating: (rating: number, deviation: number) => `Puzzle rating ${rating} ± ${deviation}`,
  ratingHelp: "It says which puzzles suit you, by first tries alone. It is no playing rating.",
  found: (rating: number) => rating < 500 ? "More than half of beginners find it in a game." : rating > 2300 ? "Fewer than half of the strongest players find it in a game." : `Half of the players of ${rating} find it in a game.`,
  counts: (solved: number, missed: number) => `${solved} solved, ${missed} missed`,
  streakIs: (now: number, longest: number) => `Streak ${now}, longest ${longest}`,
  streakOver: (longest: number) => `The streak is over. Your longest: ${longest}`,
  days: (n: number) => `${n} days in a row`,
  level: "Puzzles",
  levels: { "-300": "easier", "0": "my level", "300": "harder" },
  nothingDue: "Nothing is due now.",
  noMistakes: "No mistakes yet: analyse a game under Study, and make puzzles of them there.",
  exportAll: "Save progress",
  importAll: "Load progress",
  imported: (n: number) => `${n} entries are new.`,
  notProgress: "This is no file of progress.",
  notKept: "The browser has no room: progress is kept for this visit only.",
  yours: (move: string) => `your ${move}`,
  better: (move: string) => `better: ${move}`,
  themes: { corner: "corner", "gives-corner": "near a corner", pass: "forced pass", quiet: "quiet move", region: "last move of a region", "wipe-out": "wipe-out", draw: "draw" } as Record<Theme, string>,
  loading: "Loading the puzzles",
  thinking: "Proving the answer",
  fact(fact: Fact, side: string): string {
    switch (fact.rule) {
      case "corner": return `After ${fact.other} ${side} takes ${fact.corner}; after ${fact.best} that is not possible.`;
      case "pass": return `After ${fact.best} ${side} has to pass.`;
      case "replies": return `After ${fact.other} ${side} has ${fact.afterOther} moves, after ${fact.best} ${fact.afterBest}.`;
      case "stable": return `${fact.best} leaves you ${fact.discs} more discs that can never be turned.`;
      case "parity": return `After ${fact.best} every region of empty squares is even; after ${fact.other} ${fact.odd === 1 ? "one is" : `${fact.odd} are`} odd.`;
    }
  },
};

const ja: typeof en = {
  modes: { puzzle: "問題", streak: "連続正解", daily: "今日の一問", again: "復習", mistakes: "自分の悪手", endgame: "終盤", opening: "定石" },
  ask: {
    win: (side) => `${side}番：勝つ手はただ一つ`,
    draw: (side) => `${side}番：勝ちはなく、引き分けにする手はただ一つ`,
    best: (side) => `${side}番：最善手はどこ`,
    count: (side) => `${side}番：最善を尽くすと、${side}から見て最終石差は？`,
  },
  findBetter: (side, move) => `${side}番。実戦では${move}でした。もっと良い手は？`,
  playOut: (side, score, against) => `あなたは${side}で${score}です。${against}を相手に保ってください`,
  drawing: (empties) => `人同士の対局から空き${empties}マスの局面を選び、証明しています`,
  against: "相手",
  exactDefence: "完全な守り",
  people: "人",
  peopleOf: (elo) => `レーティング${elo}の人`,
  emptySquares: (n) => `空き${n}マス`,
  emptySquaresLabel: "空きマス",
  opening: "問われる局面まで進めています",
  bookEnds: (side, name) => `${name ? `${name}：` : ""}${side}でここまで打ちました`,
  goodToo: (move, best, score) => `${move}も良い手です。定石は${best}（${score}）です。`,
  notInBook: (move, best) => `${move}も良い手ですが、定石にはありません。${best}を打ってください。`,
  openingAsk: (side, name) => `${name}：${side}番。次の手は？`,
  ownLines: "自分の定石。1行に1つ、自分の手で終わるように（f5d6c3d3c4）。先に出題します",
  notFromStart: "初手から始まっていない行があります。",
  right: "正解！",
  goesOn: "正解。続けてください。",
  wrong: (move) => `${move}ではありません。`,
  fewer: (move, discs) => `${move}でも結果は同じですが、${discs}石少なくなります。もっと良い手があります。`,
  after: (move, score, line) => `${move}のあとは${score}：${line}`,
  solution: (line, score) => `最善：${line}（${score}）`,
  still: (score) => `${score}のまま`,
  now: (score, lost) => `${score}になりました：${lost}石の損`,
  ended: (lost) => (lost ? `終局：合計${lost}石の損` : "終局：損なし、完璧です！"),
  next: "次へ",
  show: "答えを見る",
  answer: "答える",
  yourScore: "最終石差",
  rating: (rating, deviation) => `問題レーティング ${rating} ± ${deviation}`,
  ratingHelp: "最初の解答だけで決まり、合う問題を選ぶためのものです。対局のレーティングではありません。",
  found: (rating) => rating < 500 ? "対局では初心者の半分以上が見つける手です。" : rating > 2300 ? "対局では最強の人でも半分は見つけられない手です。" : `対局ではレーティング${rating}の人の半分が見つける手です。`,
  counts: (solved, missed) => `正解${solved}、不正解${missed}`,
  streakIs: (now, longest) => `連続${now}問、最長${longest}問`,
  streakOver: (longest) => `連続正解はここまで。最長${longest}問`,
  days: (n) => `${n}日連続`,
  level: "問題",
  levels: { "-300": "やさしめ", "0": "ちょうど", "300": "難しめ" },
  nothingDue: "今復習するものはありません。",
  noMistakes: "まだありません。「検討」で棋譜を解析し、悪手を問題にしてください。",
  exportAll: "記録を保存",
  importAll: "記録を読み込む",
  imported: (n) => `${n}件を加えました。`,
  notProgress: "練習の記録ではありません。",
  notKept: "ブラウザーに場所がないため、記録は今回だけです。",
  yours: (move) => `あなたの${move}`,
  better: (move) => `最善：${move}`,
  themes: { corner: "隅", "gives-corner": "隅の隣", pass: "パスさせる", quiet: "静かな手", region: "最後の1マス", "wipe-out": "全滅", draw: "引き分け" },
  loading: "問題を読み込んでいます",
  thinking: "答えを証明しています",
  fact(fact, side) {
    switch (fact.rule) {
      case "corner": return `${fact.other}のあと${side}は${fact.corner}の隅を取れます。${fact.best}ならば取れません。`;
      case "pass": return `${fact.best}のあと${side}はパスです。`;
      case "replies": return `${side}の打てる手は${fact.other}のあと${fact.afterOther}か所、${fact.best}のあとは${fact.afterBest}か所です。`;
      case "stable": return `${fact.best}の方が、二度と返らない石が${fact.discs}個多くなります。`;
      case "parity": return `${fact.best}のあとはどの空きも偶数ですが、${fact.other}のあとは奇数の空きが${fact.odd}か所あります。`;
    }
  },
};

export const words = (): typeof en => (locale.language === "ja" ? ja : en);
