import type { DownloadRequest, DownloadRequestStatus } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { decideDownload } from './decide-download.ts';

const nowMs = Date.parse('2030-01-01T01:00:00Z');
const request = (status?: DownloadRequestStatus, creationTimestamp = '2030-01-01T00:55:00Z'): DownloadRequest => ({
  apiVersion: 'velero.io/v1',
  kind: 'DownloadRequest',
  metadata: { name: 'r', namespace: 'velero', creationTimestamp },
  spec: { target: { kind: 'BackupLog', name: 'b' } },
  ...(status === undefined ? {} : { status }),
});

describe('decideDownload', () => {
  it.each<[string, DownloadRequest, ReturnType<typeof decideDownload>]>([
    ['a new one', request(), { kind: 'answer' }],
    ['a request in phase New', request({ phase: 'New' }), { kind: 'answer' }],
    ['an unanswered one of another age', request({}, '2029-01-01T00:00:00Z'), { kind: 'answer' }],
    [
      'an answered one',
      request({ phase: 'Processed', expiration: '2030-01-01T01:00:30Z' }),
      { kind: 'wait', afterMs: 30_000 },
    ],
    [
      'one that expires late, as after a clock was set back',
      request({ phase: 'Processed', expiration: '2031-01-01T00:00:00Z' }),
      { kind: 'wait', afterMs: 60_000 },
    ],
    ['one that expires now', request({ phase: 'Processed', expiration: '2030-01-01T01:00:00Z' }), { kind: 'delete' }],
    ['an answered one without a time, young', request({ phase: 'Processed' }), { kind: 'wait', afterMs: 60_000 }],
    [
      'an answered one without a time, old',
      request({ phase: 'Processed', expiration: 'soon' }, '2030-01-01T00:49:59Z'),
      { kind: 'delete' },
    ],
  ])('%s', (_, seen, step) => expect(decideDownload(seen, nowMs)).toEqual(step));
});
