import type { RunProgressView } from '@lateen/operations/run';
import type { MovementRow } from '@lateen/operations/volume';
import { describe, expect, it } from 'vitest';
import { progressLines, waitText } from './progress-lines.ts';

const MiB = 1024 ** 2;
const row = (volume: string, parts: Partial<MovementRow> = {}): MovementRow => ({
  kind: 'DataUpload',
  name: volume,
  volume,
  phase: 'InProgress',
  attempts: 1,
  bytesDone: 0,
  totalBytes: 0,
  location: 'default',
  node: 'n',
  ageMs: 0,
  throughput: {},
  message: '',
  ...parts,
});
const view = (parts: Partial<RunProgressView> = {}): RunProgressView => ({
  name: 'nightly',
  phase: 'InProgress',
  elapsedMs: 12_000,
  isNotTaken: false,
  items: { done: 0, total: 0 },
  volumes: [],
  bytes: { done: 0, total: 0 },
  operations: { attempted: 0, completed: 0, failed: 0 },
  warnings: [],
  ...parts,
});

describe('the display of a run', () => {
  it.each<[string, Partial<RunProgressView>, string[]]>([
    ['nothing known yet', {}, ['nightly  InProgress  12s']],
    [
      'in the queue',
      { phase: 'Queued', queuePosition: 2, ahead: { running: ['full'], queued: 1 } },
      ['nightly  Queued  12s  position 2, behind full, which runs and 1 that waits'],
    ],
    [
      'items alone',
      { items: { done: 500, total: 2_000, perSecond: 250, leftMs: 6_000 } },
      ['nightly  InProgress  12s', '  Items  █████░░░░░░░░░░░░░░░ 25 %  500 of 2,000  250/s  6s left'],
    ],
    [
      'all items stored, volumes under way',
      {
        phase: 'WaitingForPluginOperations',
        items: { done: 2_000, total: 2_000 },
        volumes: [
          row('shop/data', { bytesDone: 50 * MiB, totalBytes: 100 * MiB, bytesPerSecond: 10 * MiB, leftMs: 5_000 }),
          row('shop/files', { bytesDone: MiB, totalBytes: 4 * MiB, throughput: { filesPerSecond: 8_123 } }),
          row('shop/logs', {
            phase: 'Completed',
            bytesDone: 20 * MiB,
            totalBytes: 20 * MiB,
            throughput: { filesPerSecond: 8_123 },
          }),
          row('shop/queue', { phase: 'Accepted' }),
          row('shop/bad', { phase: 'Failed', message: 'repository is locked' }),
        ],
        bytes: { done: 70 * MiB, total: 120 * MiB, perSecond: 10 * MiB, leftMs: 5_000 },
        operations: { attempted: 4, completed: 1, failed: 1 },
        warnings: ['a', 'b', 'c', 'd', 'e', 'f'],
      },
      [
        'nightly  WaitingForPluginOperations  12s',
        '  Items       2,000',
        '  Volumes     1 of 5 done, 1 failed  70 MiB of 120 MiB  10 MiB/s  5s left',
        '  Operations  1 of 4 done, 1 failed',
        '    shop/data   InProgress  ██████████░░░░░░░░░░ 50 %  50 MiB of 100 MiB  10 MiB/s  5s left',
        '    shop/files  InProgress  █████░░░░░░░░░░░░░░░ 25 %  1 MiB of 4 MiB  8,123 files/s',
        '    shop/logs   Completed   20 MiB',
        '    shop/queue  Accepted',
        '    shop/bad    Failed      repository is locked',
        ...['b', 'c', 'd', 'e', 'f'].map((warning) => `  WARNING: ${warning}`),
      ],
    ],
  ])('%s', (_, parts, lines) => expect(progressLines(view(parts), { color: false })).toEqual(lines));
});

it.each<[Partial<RunProgressView>, string]>([
  [{}, ''],
  [{ queuePosition: 3 }, 'position 3'],
  [{ queuePosition: 1, ahead: { running: [], queued: 0 } }, 'position 1'],
  [{ queuePosition: 1, ahead: { running: ['a', 'b'], queued: 0 } }, 'position 1, behind a, b, which run'],
  [
    { queuePosition: 9, ahead: { running: ['a', 'b', 'c', 'd'], queued: 8 } },
    'position 9, behind a, b, c and 1 more that run and 8 that wait',
  ],
  [{ isNotTaken: true }, 'no controller has started to work on it yet; check that it runs: kubectl get pods'],
])('%j waits: %s', (parts, text) => expect(waitText(view(parts))).toBe(text));
