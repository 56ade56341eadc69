import { isAppError } from '@lateen/errors';
import { describe, expect, it } from 'vitest';
import { startProbes } from './start-probes.ts';

describe('the probes', () => {
  it('answer healthy at once, ready when nothing is missing, and metrics', async () => {
    let missing: string | undefined = 'the first list';
    const probes = await startProbes({ address: '127.0.0.1', port: 0, notReady: () => missing });
    try {
      expect((await fetch(`${probes.url}/healthz`)).status).toBe(200);
      const early = await fetch(`${probes.url}/readyz`);
      expect([early.status, await early.text()]).toEqual([503, 'the first list']);
      missing = undefined;
      expect((await fetch(`${probes.url}/readyz`)).status).toBe(200);
      expect(await (await fetch(`${probes.url}/metrics`)).text()).toContain('process_resident_memory_bytes');
    } finally {
      await probes.close();
    }
  });
  it('report the port that is in use', async () => {
    const first = await startProbes({ address: '127.0.0.1', port: 0, notReady: () => undefined });
    try {
      const port = Number(new URL(first.url).port);
      const second = await startProbes({ address: '127.0.0.1', port, notReady: () => undefined }).catch(
        (error: unknown) => error,
      );
      expect(isAppError(second, 'PORT_UNAVAILABLE')).toBe(true);
      expect(String(second)).toContain(`127.0.0.1:${port}`);
    } finally {
      await first.close();
    }
  });
});
