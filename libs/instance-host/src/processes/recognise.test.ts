import { describe, expect, it } from 'vitest';
import type { ProcessRecord } from './process-record.ts';
import { recognise, type TableRow, unknownProcesses } from './recognise.ts';

const argv = ['/bin/qsd', '--x'];
const record: ProcessRecord = { id: 'a', kind: 'replica', run: '1', argv, bootId: 'boot', pid: 5, startTicks: '70' };
const { pid: _, startTicks: __, ...begun } = record;
const row = (fields: Partial<TableRow> = {}): TableRow => ({
  pid: 5,
  parentPid: 1,
  startTicks: '70',
  zombie: false,
  argv,
  run: '1',
  ...fields,
});
const lives = { state: 'lives', pid: 5, startTicks: '70' };
const gone = { state: 'gone' };

describe('the process of a record', () => {
  it.each([
    ['is the one with pid, start and run', [row()], lives],
    ['may have changed its arguments', [row({ argv: ['renamed'] })], lives],
    ['may have overwritten its environment', [row({ run: 'x' })], lives],
    ['is gone when nobody has the pid', [], gone],
    ['is gone when another process has the pid', [row({ startTicks: '71' })], gone],
    ['is gone when neither run nor arguments are its own', [row({ run: 'x', argv: ['/bin/other'] })], gone],
    ['is gone when it has ended and nobody has waited for it', [row({ zombie: true })], gone],
  ])('%s', (_what, table, expected) => expect(recognise(record, table, 'boot')).toEqual(expected));

  const { run: ___, ...unnamed } = row();
  const serve = { ...unnamed, pid: 1, parentPid: 0, argv: ['/bin/node', 'serve'] };
  it.each([
    ['that shows neither arguments nor environment yet', [{ ...unnamed, argv: [] }], lives],
    ['that still has the arguments of its parent', [serve, { ...unnamed, argv: serve.argv }], lives],
    ['that has arguments of nobody', [serve, { ...unnamed, argv: ['/bin/other'] }], gone],
    ['of another start that shows nothing yet', [{ ...unnamed, argv: [], startTicks: '71' }], gone],
  ])('started this moment, %s', (_what, table, expected) => {
    expect(recognise(record, table, 'boot')).toEqual(expected);
  });

  it('is gone after a new boot, whoever has its pid', () => {
    expect(recognise(record, [row()], 'another boot')).toEqual(gone);
  });
});

describe('the process of a start that was begun', () => {
  it('is found by its run, and its children are not taken for it', () => {
    const table = [row({ pid: 6, parentPid: 5 }), row(), row({ pid: 7, run: '2' })];
    expect(recognise(begun, table, 'boot')).toEqual(lives);
  });

  it('is missing as long as it may appear, and gone after a new boot', () => {
    expect(recognise(begun, [row({ run: '2' })], 'boot')).toEqual({ state: 'missing' });
    expect(recognise(begun, [], 'another boot')).toEqual(gone);
  });
});

it('tells of processes of ours that have no record, without their children', () => {
  const stray = row({ pid: 9, run: 'stray' });
  const table = [row(), stray, row({ pid: 10, parentPid: 9, run: 'stray' }), row({ pid: 11, zombie: true, run: 'z' })];
  const { run: ____, ...others } = row({ pid: 12 });
  expect(unknownProcesses([record], [...table, others])).toEqual([stray]);
});
