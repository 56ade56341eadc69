import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type RoleRig, type SourceName, startRoleRig, takesRoles } from './role-rig.ts';

/** Tests of each engine with a role. @param sources sources of keys that it supports, and the service that provides the keys */
export function describeEngineWithRoles(
  engine: 'kopia' | 'restic',
  sources: readonly [source: SourceName, by: string][],
): void {
  let rig: RoleRig;

  describe.skipIf(!takesRoles)(`${engine} with keys by a role`, { timeout: 120_000 }, () => {
    beforeAll(async () => {
      rig = await startRoleRig();
    }, 900_000);
    afterAll(() => rig?.[Symbol.asyncDispose]());
    afterEach(() => {
      rig.aws.takesPlainKeys = false;
      rig.aws.refusals.length = 0;
    });

    it.each(sources)('creates a repository, backs up and restores: %s', async (source, by) => {
      const engines = await rig.engines(rig.sources[source]);
      expect(JSON.stringify(await engines.engines[engine].initialise())).toContain('created');
      expect(await engines.roundTrip(engine, `of ${engine}`)).toBe(`of ${engine}`);
      expect([...new Set(engines.issued().map((issued) => issued.by))]).toEqual([by]);
      expect(rig.aws.refusals).toEqual([]);
      expect(engines.disclosed()).toEqual([]);
      expect(await engines.leftovers()).toEqual([]);
    });

    it('uses the keys of a Secret, whatever roles the pod has', async () => {
      rig.aws.takesPlainKeys = true;
      const engines = await rig.engines(rig.sources.keysInSecret);
      await engines.engines[engine].initialise();
      expect(await engines.roundTrip(engine, 'by keys')).toBe('by keys');
      expect(engines.issued()).toEqual([]);
      expect(rig.aws.refusals).toEqual([]);
    });

    it('reports what to check when the role is denied', async () => {
      const engines = await rig.engines(rig.sources.roleOfOthers);
      await expect(engines.engines[engine].initialise()).rejects.toMatchObject({
        code: 'OBJECT_STORE_FORBIDDEN',
        message: expect.stringContaining('to the role of the pod, or that role provides no keys'),
        nextStep: expect.stringContaining('trust policy'),
      });
      expect(rig.aws.refusals).toContain('sts: another RoleArn is expected');
      expect(engines.disclosed()).toEqual([]);
    });
  });
}
