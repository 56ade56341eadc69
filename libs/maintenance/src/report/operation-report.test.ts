import { describe, expect, it } from 'vitest';
import {
  type OperationEnd,
  parseReportLine,
  parseTermination,
  reportLine,
  terminationBytesMax,
  terminationText,
} from './operation-report.ts';

const base = { repository: 'shop-default-kopia', durationMs: 12 };
const volume = (at: number) => ({
  namespace: 'shop',
  persistentVolumeClaim: `data-${at}`,
  snapshots: 1,
  uniqueBytes: at,
  sharedBytes: 0,
});
const usage = (volumes: number): OperationEnd => ({
  ...base,
  operation: 'usage',
  succeeded: true,
  result: {
    engine: 'kopia',
    volumes: Array.from({ length: volumes }, (_, at) => volume(at)),
    referencedBytes: 7,
    sharedBytes: 0,
    reclaimableBytes: 3,
  },
});

describe('reports of an operation', () => {
  it('are lines that differ from the rest of the log', () => {
    const progress = { report: 'progress', progress: { doing: 'reading', done: 1, unit: 'items' } } as const;
    const end = { report: 'end', ...usage(2) } as const;
    expect(parseReportLine(reportLine(progress))).toEqual(progress);
    expect(parseReportLine(reportLine(end))).toEqual(end);
    for (const other of ['', 'plain text', '{"level":"info"}', '{"report":"end"}', '{"report":', '{"report":"x"}'])
      expect(parseReportLine(other)).toBeUndefined();
  });

  it('fit into a termination message, if necessary without their lists', () => {
    expect(parseTermination(terminationText(usage(2)))).toEqual(usage(2));
    const long = terminationText(usage(1000));
    expect(Buffer.byteLength(long)).toBeLessThanOrEqual(terminationBytesMax);
    expect(parseTermination(long)).toMatchObject({ result: { volumes: [], referencedBytes: 7, reclaimableBytes: 3 } });
  });

  it.each(['x', '\n', '€', '\u0001'])('keep a failure of %j within a termination message', (character) => {
    const error = { code: 'ENGINE_FAILED', message: character.repeat(10_000) };
    const text = terminationText({ ...base, operation: 'maintain', succeeded: false, error });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(terminationBytesMax);
    expect(parseTermination(text)).toMatchObject({ succeeded: false, error: { code: 'ENGINE_FAILED' } });
  });

  it.each([
    undefined,
    '',
    'fatal error: out of memory',
    '{"operation":"maintain"}',
    '{"operation":"x","succeeded":true,"result":{}}',
    '[1]',
  ])('are not found in %j', (text) => {
    expect(parseTermination(text)).toBeUndefined();
  });
});
