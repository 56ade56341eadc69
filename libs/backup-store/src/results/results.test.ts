import { AppError } from '@lateen/errors';
import type { LogFields } from '@lateen/kernel';
import { describe, expect, it } from 'vitest';
import { ResultLines, resultLinesMax } from './result-lines.ts';
import { type ResultLine, resultLine } from './result-text.ts';

const redact = (text: string): string => text.replaceAll('hunter2', '…');

describe('a line of the results', () => {
  it.each<[string, LogFields, ResultLine]>([
    ['only a message', {}, { bucket: 'velero', text: ' message: /said' }],
    [
      'an object of a namespace',
      { resource: 'pods', namespace: 'shop', name: 'web', err: new Error('gone') },
      { bucket: { namespace: 'shop' }, text: ' resource: /pods name: /web message: /said error: /gone' },
    ],
    [
      'an object of the cluster',
      { resource: 'nodes', name: 'n1' },
      { bucket: 'cluster', text: ' resource: /nodes name: /n1 message: /said' },
    ],
    [
      'an empty namespace',
      { resource: 'nodes', namespace: '', name: 'n1' },
      { bucket: 'cluster', text: ' resource: /nodes name: /n1 message: /said' },
    ],
    ['a namespace only', { namespace: 'shop' }, { bucket: { namespace: 'shop' }, text: ' message: /said' }],
    [
      'an error with a cause and a next step',
      { err: new AppError('X', 'no list', { cause: new Error('refused'), nextStep: 'Try.' }) },
      { bucket: 'velero', text: ' message: /said error: /no list: refused. Try.' },
    ],
    ['a reason', { reason: 'too large' }, { bucket: 'velero', text: ' message: /said error: /too large' }],
    ['a secret in the error', { err: new Error('hunter2') }, { bucket: 'velero', text: ' message: /said error: /…' }],
  ])('with %s', (_, fields, line) => {
    expect(resultLine(fields, 'said', redact)).toEqual(line);
  });
});

describe('ResultLines', () => {
  it('puts each line into its list', () => {
    const lines = new ResultLines();
    lines.add('error', { bucket: 'velero', text: 'a' });
    lines.add('error', { bucket: 'cluster', text: 'b' });
    lines.add('warning', { bucket: { namespace: 'x' }, text: 'c' });
    lines.add('warning', { bucket: { namespace: 'x' }, text: 'd' });
    const results = { errors: { velero: ['a'], cluster: ['b'] }, warnings: { namespaces: { x: ['c', 'd'] } } };
    expect(lines.results()).toEqual(results);
    lines.results().errors.velero?.push('of somebody else');
    expect(lines.results()).toEqual(results);
  });

  it('limits the lines of each list, and says how many more there were', () => {
    const lines = new ResultLines();
    for (let count = 0; count < resultLinesMax + 3; count++) lines.add('error', { bucket: 'cluster', text: 'x' });
    const { errors, warnings } = lines.results();
    expect(errors.cluster).toHaveLength(resultLinesMax);
    expect(errors.velero).toEqual([' message: /3 more errors are in the log only']);
    expect(warnings).toEqual({});
  });
});
