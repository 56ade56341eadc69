import type { ServerStatusRequest, ServerStatusRequestStatus } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { decideServerStatus } from './decide-server-status.ts';
import { serverVersion } from './server-version.ts';

const nowMs = Date.parse('2030-01-01T01:00:00Z');
const request = (status?: ServerStatusRequestStatus): ServerStatusRequest => ({
  apiVersion: 'velero.io/v1',
  kind: 'ServerStatusRequest',
  metadata: { name: 'r', namespace: 'velero' },
  spec: {},
  ...(status === undefined ? {} : { status }),
});

describe('decideServerStatus', () => {
  it.each<[string, ServerStatusRequestStatus | undefined, ReturnType<typeof decideServerStatus>]>([
    ['a new one', undefined, { kind: 'answer' }],
    ['a request in phase New', { phase: 'New' }, { kind: 'answer' }],
    ['one just answered', { phase: 'Processed', processedTimestamp: '2030-01-01T00:59:50Z' }, waits(50_000)],
    ['one answered in the future', { phase: 'Processed', processedTimestamp: '2030-01-02T00:00:00Z' }, waits(60_000)],
    ['one answered a minute ago', { phase: 'Processed', processedTimestamp: '2030-01-01T00:59:00Z' }, gone()],
    ['one answered at an unknown time', { phase: 'Processed' }, gone()],
  ])('%s', (_, status, step) => expect(decideServerStatus(request(status), nowMs)).toEqual(step));
});

function waits(afterMs: number) {
  return { kind: 'wait', afterMs } as const;
}
function gone() {
  return { kind: 'delete' } as const;
}

it("a server has the major and minor version of Velero, and Lateen's version after the plus", () => {
  // The grammar of semver.org, version 2.0.0, with the leading v that clients expect.
  expect(serverVersion('0.1.0')).toMatch(/^v(\d+)\.(\d+)\.(\d+)\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*$/);
  expect(serverVersion('0.1.0')).toBe('v1.18.0+lateen.0.1.0');
});
