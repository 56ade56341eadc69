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

describe('matching a process with its record', () => {
  it.each([
    ['alive: pid, start time and run ID match', [row()], lives],
    ['alive with changed arguments', [row({ argv: ['renamed'] })], lives],
    ['alive with an overwritten environment', [row({ run: 'x' })], lives],
    ['gone when no process has the pid', [], gone],
    ['gone when another process has the pid', [row({ startTicks: '71' })], gone],
    ['gone when neither run ID nor arguments match', [row({ run: 'x', argv: ['/bin/other'] })], gone],
    ['gone when it is a zombie', [row({ zombie: true })], gone],
  ])('%s', (_what, table, expected) => expect(recognise(record, table, 'boot')).toEqual(expected));

  const { run: ___, ...unnamed } = row();
  const serve = { ...unnamed, pid: 1, parentPid: 0, argv: ['/bin/node', 'serve'] };
  it.each([
    ['with neither arguments nor environment yet', [{ ...unnamed, argv: [] }], lives],
    ['with the arguments of its parent', [serve, { ...unnamed, argv: serve.argv }], lives],
    ['with unknown arguments', [serve, { ...unnamed, argv: ['/bin/other'] }], gone],
    ['of another start time, with nothing visible yet', [{ ...unnamed, argv: [], startTicks: '71' }], gone],
  ])('a process that has just started, %s', (_what, table, expected) => {
    expect(recognise(record, table, 'boot')).toEqual(expected);
  });

  it('is gone after a reboot, whoever has its pid', () => {
    expect(recognise(record, [row()], 'another boot')).toEqual(gone);
  });
});

describe('the process of an incomplete start', () => {
  it('is found by its run ID, and its children are not confused with it', () => {
    const table = [row({ pid: 6, parentPid: 5 }), row(), row({ pid: 7, run: '2' })];
    expect(recognise(begun, table, 'boot')).toEqual(lives);
  });

  it('is missing as long as it may still appear, and gone after a reboot', () => {
    expect(recognise(begun, [row({ run: '2' })], 'boot')).toEqual({ state: 'missing' });
    expect(recognise(begun, [], 'another boot')).toEqual(gone);
  });
});

it('reports own processes without a record, without their children', () => {
  const stray = row({ pid: 9, run: 'stray' });
  const table = [row(), stray, row({ pid: 10, parentPid: 9, run: 'stray' }), row({ pid: 11, zombie: true, run: 'z' })];
  const { run: ____, ...others } = row({ pid: 12 });
  expect(unknownProcesses([record], [...table, others])).toEqual([stray]);
});
