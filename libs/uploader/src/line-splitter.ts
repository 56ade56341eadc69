/** Longer lines are cut here: nothing we read is, and a file name in an error may be 4 KiB. */
const lineLengthMax = 16 * 1024;

/**
 * Cuts a stream of text into lines at newlines and carriage returns (kopia rewrites its progress line in place).
 * Pieces may break anywhere. Empty lines are dropped.
 */
export function lineSplitter(onLine: (line: string) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const pieces = (rest + text).split(/[\r\n]/);
    rest = (pieces.pop() ?? '').slice(0, lineLengthMax);
    for (const piece of pieces) {
      const line = piece.trim();
      if (line !== '') onLine(line.slice(0, lineLengthMax));
    }
  };
}
