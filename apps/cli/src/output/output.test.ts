import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { liveLine, redrawn } from './live-line.ts';
import { parseOutputFormat, printObjects } from './print-object.ts';
import { progressLine } from './progress-line.ts';

describe('output of the CLI', () => {
  it('a bar has rate and time left as soon as the total is known, and no estimate before', () => {
    const at = { name: 'x', phase: 'InProgress', bytesDone: 256 * 1024 ** 2, totalBytes: 1024 ** 3, elapsedMs: 4000 };
    expect(progressLine(at)).toBe('x  InProgress  ██████░░░░░░░░░░░░░░░░░░ 25 %  256 MiB of 1 GiB  64 MiB/s  12s left');
    expect(progressLine({ ...at, filesPerSecond: 8_123 })).toContain('  64 MiB/s  8,123 files/s  12s left');
    expect(progressLine({ ...at, totalBytes: 0 })).toBe('x  InProgress');
  });
  it('one line is redrawn on a terminal; elsewhere plain lines are printed without repeats', () => {
    const written: string[] = [];
    const write = (text: string) => written.push(text);
    const plain = liveLine({ write });
    for (const line of ['a', 'a', 'b']) plain.show(line);
    plain.end();
    expect(written.splice(0)).toEqual(['a\n', 'b\n']);
    const live = liveLine({ write, isTTY: true, columns: 8, rows: 24 });
    live.show('abc');
    live.show('\u001b[31mabcdefgh\u001b[39m');
    live.end();
    expect(stripVTControlCharacters(written.join(''))).toBe('abc\nabcdef…\n');
  });
  it('lines are limited to the height of the terminal, with the number of hidden ones', () => {
    const written: string[] = [];
    const view = redrawn({ write: (text) => written.push(text), isTTY: true, columns: 80, rows: 4 });
    view.draw(['one', 'two', 'three', 'four', 'five']);
    expect(stripVTControlCharacters(written.join(''))).toBe('one\ntwo\n… and 3 more\n');
    view.clear();
  });
  it('objects are printed as JSON, YAML and names, and another format is rejected by name', () => {
    const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } };
    expect(printObjects([object], 'name', false)).toBe('pod/p\n');
    expect(JSON.parse(printObjects([object], 'json', true))).toEqual({
      apiVersion: 'v1',
      kind: 'List',
      items: [object],
    });
    expect(printObjects([object], 'yaml', false)).toBe('apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n');
    expect(() => parseOutputFormat('xml')).toThrow('--output "xml" is not a format');
  });
});
