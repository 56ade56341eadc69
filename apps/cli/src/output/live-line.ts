import cliTruncate from 'cli-truncate';
import { createLogUpdate } from 'log-update';

/** Shows progress: one line that is redrawn on a terminal, separate lines otherwise. */
export interface LiveLine {
  /** Shows the current state. Without a terminal, a line equal to the last one is left out. */
  show(line: string): void;
  /** Keeps the last state on the screen and moves to the next line. */
  end(): void;
}

export interface TextOutput {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
  rows?: number | undefined;
  write(text: string): unknown;
}

const sizeDefault = { columns: 100, rows: 24 };

/** Several lines that are redrawn in place on a terminal; lines that are too long are cut, not wrapped. */
export function redrawn(output: TextOutput): { draw(lines: readonly string[]): void; keep(): void; clear(): void } {
  // log-update only writes to the stream and reads its size.
  const view = createLogUpdate(output as NodeJS.WriteStream, {
    defaultWidth: sizeDefault.columns,
    defaultHeight: sizeDefault.rows,
  });
  return {
    draw: (lines) => {
      const { columns = sizeDefault.columns, rows = sizeDefault.rows } = output;
      const hidden = lines.length - (rows - 1);
      const fitting = hidden > 0 ? [...lines.slice(0, rows - 2), `… and ${hidden + 1} more`] : lines;
      view(fitting.map((line) => cliTruncate(line, columns - 1)).join('\n'));
    },
    keep: () => view.done(),
    clear: () => {
      view.clear();
      view.done();
    },
  };
}

export function liveLine(output: TextOutput): LiveLine {
  let last = '';
  if (output.isTTY === true) {
    const view = redrawn(output);
    return { show: (line) => view.draw([line]), end: () => view.keep() };
  }
  return {
    show: (line) => {
      if (line !== last) output.write(`${line}\n`);
      last = line;
    },
    end: () => {},
  };
}
