import { describe, expect, it } from 'vitest';
import { parseItemError, plainStderr } from './restic-said.ts';

describe('plainStderr', () => {
  it('converts the JSON lines of restic to text, and keeps other lines', () => {
    const stderr = [
      '{"message_type":"error","error":{"Op":"open","Path":"u/mem","Err":13},"during":"archival","item":"/uid/u/mem"}',
      '{"message_type":"error","error":{},"during":"archival","item":"x"}',
      '\u001b[2Ksignal interrupt received, cleaning up',
      '',
      'Warning: at least one source file could not be read',
    ].join('\n');
    expect(plainStderr(stderr).split('\n')).toEqual([
      'cannot read /uid/u/mem: permission denied',
      'cannot read x',
      'signal interrupt received, cleaning up',
      'Warning: at least one source file could not be read',
    ]);
  });

  it.each(['{', '{"a":1}', '{"message_type":"status"}', '[]', 'null', '{not json}'])('leaves %j unchanged', (line) => {
    expect(plainStderr(line)).toBe(line);
  });
});

describe('parseItemError', () => {
  it.each([
    [
      '{"message_type":"error","error":{"Op":"read","Path":"/d/f","Err":5},"item":""}',
      { item: '/d/f', reason: 'i/o error', isGone: false, archival: true },
    ],
    ['{"message_type":"error","error":null}', { item: '?', reason: '', isGone: false, archival: true }],
    [
      '{"message_type":"error","error":{"Err":-3},"during":"scan","item":"f"}',
      { item: 'f', reason: '', isGone: false, archival: false },
    ],
    [
      '{"message_type":"error","error":{"Err":"gone"},"item":"f"}',
      { item: 'f', reason: 'gone', isGone: false, archival: true },
    ],
    [
      '{"message_type":"error","error":{"Err":2},"item":"f"}',
      { item: 'f', reason: 'no such file or directory', isGone: true, archival: true },
    ],
  ])('%s', (line, expected) => {
    expect(parseItemError(line)).toEqual(expected);
  });
});
