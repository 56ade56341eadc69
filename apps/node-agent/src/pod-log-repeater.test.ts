import type { PodLogs } from '@lateen/kube';
import { describe, expect, it } from 'vitest';
import { podLogRepeater } from './pod-log-repeater.ts';

const logs: PodLogs = {
  stream: async function* () {
    yield Buffer.from('time="2030-01-01T00:00:00Z" level=info msg="the data ');
    yield Buffer.from('path has started"\n');
  },
};

describe('repeating a hosting pod\u2019s log', () => {
  it('puts whole lines between the marks of the reference and says whose they are', async () => {
    let written = '';
    const sink = { write: (text: string) => (written += text) };
    const repeater = podLogRepeater(logs, { sink, format: 'text' });
    const pod = { namespace: 'velero', name: 'du-1' };
    await repeater.repeat(
      pod,
      'uid-1',
      { dataUpload: 'velero/du-1' },
      {
        signal: AbortSignal.any([]),
        ended: AbortSignal.abort(),
      },
    );
    const lines = written.trimEnd().split('\n');
    expect(lines[0]).toBe('***************************begin pod logs[du-1/uid-1]***************************');
    expect(lines[1]).toContain('msg="the data path has started"');
    expect(lines[1]).toContain('dataUpload=velero/du-1');
    expect(lines[2]).toBe('***************************end pod logs[du-1/uid-1]***************************');
    expect(lines).toHaveLength(3);
  });
});
