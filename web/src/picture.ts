// The board as a picture: SVG text, and PNG made of it.

import type { Position, Square } from "./rules";

const SIDE = 480;
const EDGE = 24;

export function boardSvg({ cells }: Position, last: Square | undefined): string {
  const step = (SIDE - 2 * EDGE) / 8;
  const at = (i: number) => EDGE + i * step;
  const lines = Array.from({ length: 9 }, (_, i) => `<path d="M${at(i)} ${EDGE}V${SIDE - EDGE}M${EDGE} ${at(i)}H${SIDE - EDGE}"/>`).join("");
  const names = Array.from({ length: 8 }, (_, i) => `<text x="${at(i) + step / 2}" y="${EDGE - 7}">${"abcdefgh"[i]}</text><text x="${EDGE / 2}" y="${at(i) + step / 2 + 5}">${i + 1}</text>`).join("");
  const discs = [...cells].map((cell, i) => {
    if (cell === "-") return "";
    const [x, y] = [at(i % 8) + step / 2, at(i >> 3) + step / 2];
    const mark = i === last ? `<circle cx="${x}" cy="${y}" r="5" fill="#d9483b"/>` : "";
    return `<circle cx="${x}" cy="${y}" r="${step * 0.42}" fill="${cell === "X" ? "#16191c" : "#f6f5f0"}" stroke="#0006"/>${mark}`;
  }).join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${SIDE}" height="${SIDE}" viewBox="0 0 ${SIDE} ${SIDE}"><rect width="${SIDE}" height="${SIDE}" rx="8" fill="#1d4f37"/><rect x="${EDGE}" y="${EDGE}" width="${SIDE - 2 * EDGE}" height="${SIDE - 2 * EDGE}" fill="#2f7d4f"/><g stroke="#1d4f37" fill="none">${lines}</g><g font-family="system-ui, sans-serif" font-size="14" fill="#dfe9e2" text-anchor="middle">${names}</g>${discs}</svg>`;
}

export async function boardPng(position: Position, last: Square | undefined): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([boardSvg(position, last)], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 2 * SIDE;
    canvas.getContext("2d")!.drawImage(image, 0, 0, 2 * SIDE, 2 * SIDE);
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
