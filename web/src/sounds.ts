// A disc that is put down, and the end of a game: short tones, made here.

let context: AudioContext | undefined;

const TONES = { move: [[520, 0.05]], pass: [[300, 0.12]], end: [[440, 0.12], [660, 0.25]] } as const;

export function sound(what: keyof typeof TONES): void {
  context ??= new AudioContext();
  let at = context.currentTime;
  for (const [pitch, seconds] of TONES[what]) {
    const [tone, volume] = [context.createOscillator(), context.createGain()];
    tone.type = "triangle";
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0.15, at);
    volume.gain.exponentialRampToValueAtTime(0.001, at + seconds);
    tone.connect(volume).connect(context.destination);
    tone.start(at);
    tone.stop(at + seconds);
    at += seconds;
  }
}
