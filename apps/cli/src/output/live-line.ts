/** Where progress goes: one line that is redrawn on a terminal, plain lines elsewhere. */
export interface LiveLine {
  /** Shows the current state. Elsewhere than on a terminal, repeats of a line are left out. */
  show(line: string): void;
  /** Leaves the last state standing and goes to the next line. */
  end(): void;
}

export interface TextOutput {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
  rows?: number | undefined;
  write(text: string): unknown;
  /** A terminal tells when it has another size. */
  on?(event: 'resize', handler: () => void): unknown;
  off?(event: 'resize', handler: () => void): unknown;
}

const clearLine = '\r\u001b[2K';
const columnsDefault = 100;

export function liveLine(output: TextOutput): LiveLine {
  let last = '';
  if (output.isTTY === true)
    return {
      show: (line) => {
        last = line;
        output.write(`${clearLine}${[...line].slice(0, (output.columns ?? columnsDefault) - 1).join('')}`);
      },
      end: () => {
        if (last !== '') output.write('\n');
        last = '';
      },
    };
  return {
    show: (line) => {
      if (line !== last) output.write(`${line}\n`);
      last = line;
    },
    end: () => {},
  };
}
