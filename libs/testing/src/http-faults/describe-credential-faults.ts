import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answers, refuses } from './behaviours.ts';
import { configMap, configMaps, emptyList, type FaultWorld, faultWorld, type MakeFaultApi } from './fault-harness.ts';
import type { Behaviour } from './fault-server.ts';
import { testCertificates } from './test-certificates.ts';

export function describeCredentialFaults(makeApi: MakeFaultApi): void {
  describe('credentials', () => {
    let world: FaultWorld;
    beforeEach(async () => {
      world = await faultWorld(makeApi);
    });
    afterEach(() => world.end());

    const list = () => world.api.list(configMaps);
    const tokens = () => world.server.received.map(({ headers }) => headers.authorization);
    const only =
      (token: string, then: Behaviour): Behaviour =>
      (response, request) =>
        (request.headers.authorization === `Bearer ${token}` ? then : refuses(401, 'Unauthorized'))(response, request);

    it('reads the token again at once when it is rejected, and repeats even a write', async () => {
      world.server.next(answers(200, emptyList));
      await list();
      await world.setToken('token-2');
      world.server.always(only('token-2', answers(201, configMap('a'))));
      await world.api.create(configMaps, configMap('a'));
      expect(tokens()).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-2']);
    });

    it('lets many calls that are rejected together all continue with the new token', async () => {
      world.server.next(answers(200, emptyList));
      await list();
      await world.setToken('token-2');
      world.server.always(only('token-2', answers(200, emptyList)));
      await Promise.all(Array.from({ length: 10 }, list));
      expect(tokens().filter((token) => token === 'Bearer token-2')).toHaveLength(10);
    });

    it('reads the token again every minute', async () => {
      world.server.always(answers(200, emptyList));
      await list();
      await world.setToken('token-2');
      await list();
      await world.clock.advance(60_000);
      await list();
      expect(tokens()).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-2']);
    });

    it('gives up at once when there is no other token', async () => {
      world.server.always(refuses(401, 'Unauthorized'));
      const error = await world.failure(list());
      expect(error).toMatchObject({ code: 'KUBE_UNAUTHORIZED' });
      expect(error.nextStep).toContain(`credentials for ${world.server.url}`);
      expect(JSON.stringify(error) + error.message + error.stack).not.toContain('token-1');
      expect(world.server.received).toHaveLength(1);
    });

    it('does not trust a server with a certificate of another CA, and does not try twice', async () => {
      const other = await faultWorld(async (options) => {
        await writeFile(options.caFile, testCertificates().otherCa);
        return makeApi(options);
      });
      try {
        const error = await other.failure(other.api.list(configMaps));
        expect(error).toMatchObject({ code: 'KUBE_UNAVAILABLE', retry: 'never' });
        expect(error.message).toContain('authority that is not trusted');
        expect(error.nextStep).toContain('certificate-authority-data');
        expect(error.tookMs).toBe(0);
      } finally {
        await other.end();
      }
    });
  });
}
