import cliTruncate from 'cli-truncate';
import { createLogUpdate } from 'log-update';

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
}

const sizeDefault = { columns: 100, rows: 24 };

/** A view of lines that is redrawn in place on a terminal; lines that do not fit into it are cut, not wrapped. */
export function redrawn(output: TextOutput): { draw(lines: readonly string[]): void; keep(): void; clear(): void } {
  // It writes, and asks for the size: nothing else of a stream is used.
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
