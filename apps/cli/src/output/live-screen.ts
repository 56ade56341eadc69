import { clipLine } from './clip-line.ts';
import type { TextOutput } from './live-line.ts';

/** A screen of lines that is drawn again and again on a terminal. */
export interface LiveScreen {
  draw(lines: readonly string[]): void;
  /** Gives the terminal back as it was before. Safe to repeat. */
  end(): void;
}

// xterm's control sequences: the alternate screen leaves what was on the terminal alone, so a resize needs no repair.
const enter = '\u001b[?1049h\u001b[?25l';
const leave = '\u001b[?25h\u001b[?1049l';
const home = '\u001b[H';
const clearToLineEnd = '\u001b[K';
const clearBelow = '\u001b[J';

const sizeDefault = { columns: 80, rows: 24 };

/** Each picture is one write that overwrites the last one in place, so nothing flickers. Long lines are cut, not wrapped. */
export function liveScreen(output: TextOutput): LiveScreen {
  let state: 'new' | 'shown' | 'ended' = 'new';
  let last: readonly string[] = [];
  const draw = (lines: readonly string[]): void => {
    if (state === 'ended') return;
    const { columns = sizeDefault.columns, rows = sizeDefault.rows } = output;
    const hidden = lines.length - rows;
    const fitting = hidden > 0 ? [...lines.slice(0, rows - 1), `… and ${hidden + 1} more`] : lines;
    const text = fitting.map((line) => `${clipLine(line, columns)}${clearToLineEnd}`).join('\r\n');
    output.write(`${state === 'new' ? enter : ''}${home}${text}${clearBelow}`);
    state = 'shown';
    last = lines;
  };
  const onResize = (): void => draw(last);
  output.on?.('resize', onResize);
  return {
    draw,
    end: () => {
      output.off?.('resize', onResize);
      if (state === 'shown') output.write(leave);
      state = 'ended';
    },
  };
}
