/** Longer lines are cut here: a path in an error may be 4 KiB. */
const lineLengthMax = 16 * 1024;

/**
 * Cuts what a program writes into lines, at newlines and at the carriage returns by which it redraws its progress. Pieces may
 * break anywhere; empty lines are dropped. `end` gives out what came after the last border.
 */
export function outputLines(onLine: (line: string) => void): { push(text: string): void; end(): void } {
  let rest = '';
  const tell = (piece: string): void => {
    const line = piece.trim();
    if (line !== '') onLine(line.slice(0, lineLengthMax));
  };
  return {
    push: (text) => {
      const pieces = (rest + text).split(/[\r\n]/);
      rest = (pieces.pop() ?? '').slice(0, lineLengthMax);
      for (const piece of pieces) tell(piece);
    },
    end: () => {
      tell(rest);
      rest = '';
    },
  };
}
