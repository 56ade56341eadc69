import { AppError } from '@lateen/errors';
import { stackIn, statusDetailsTrailer } from '@lateen/plugin-protocol';
import { describe, expect, it } from 'vitest';
import { placesOf, pluginWireError } from './wire-error.ts';

describe('an error on the wire', () => {
  it('has the message with its causes and next step, and the stack of the innermost error', () => {
    const cause = new Error('connection refused');
    const error = new AppError('X', 'cannot ask the database', { cause, nextStep: 'Start it.' });
    const { code, details, metadata } = pluginWireError(error);
    expect({ code, details }).toEqual({ code: 2, details: 'cannot ask the database: connection refused. Start it.' });
    const [first] = stackIn(metadata.get(statusDetailsTrailer)[0] as Buffer);
    expect(first).toMatchObject({ file: expect.stringContaining('wire-error.test.ts') });
  });

  it('is limited in length', () => {
    const { details } = pluginWireError(new Error('x'.repeat(100_000)));
    expect(details.length).toBe(4_000);
  });

  it.each([
    ['a text', 'plugin panicked: a text'],
    [undefined, 'plugin panicked: unknown error'],
  ])('that is not an Error but %j is a panic', (thrown, details) => {
    expect(pluginWireError(thrown)).toMatchObject({ code: 10, details });
  });
});

describe('the stack of an error', () => {
  it.each([
    ['    at run (file:///plugins/a.mjs:10:5)', { file: '/plugins/a.mjs', line: 10, function: 'run' }],
    ['    at async Object.execute (/plugins/a.js:7:1)', { file: '/plugins/a.js', line: 7, function: 'Object.execute' }],
    ['    at file:///plugins/a.mjs:3:1', { file: '/plugins/a.mjs', line: 3, function: '<anonymous>' }],
    ['    at new Thing (node:internal/x:1:2)', { file: 'node:internal/x', line: 1, function: 'new Thing' }],
  ])('are read from %j', (line, place) => {
    const error = new Error('x');
    error.stack = `Error: x\n${line}`;
    expect(placesOf(error)).toEqual([place]);
  });

  it('is empty for a value that is no error, or has no usable stack', () => {
    const without = Object.assign(new Error('x'), { stack: undefined });
    const strange = Object.assign(new Error('x'), { stack: 'Error: x\n    somewhere' });
    expect([placesOf('x'), placesOf(without), placesOf(strange)]).toEqual([[], [], []]);
  });
});
