import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureParts, silentProgress } from '@lateen/cluster';
import { leftoversBelow, makeScratch, startDriver } from '@lateen/csi-rig';
import { beforeAll, describe, expect, it } from 'vitest';
import { readReport, runSanity, unknownToSanity } from '../environment/csi-sanity.ts';

const GiB = 1024 ** 3;
/** Sparse: the volumes of csi-sanity have 10 GiB each, and almost nothing is written. */
const diskBytes = 200 * GiB;
const buildMs = 600_000;

/** Number of cases of csi-sanity 5.3.1 for the capabilities that the driver declares. A lower number means that one is missing. */
const casesMin = 66;

/** Cases that may be skipped: they need capabilities that the driver does not declare. */
const notDeclared = [
  /Controller(Publish|Unpublish)Volume/,
  /ModifyVolume|volume attribute class/,
  /volume lifecycle/,
  /GroupController|VolumeGroupSnapshot|GroupSnapshot/i,
  unknownToSanity,
];

const isRoot = process.getuid?.() === 0;
const rows = [
  { title: 'xfs volumes, reflink copies', disk: 'xfs', fsType: 'xfs', flags: [], access: 'mount' },
  { title: 'ext4 volumes, reflink copies', disk: 'xfs', fsType: 'ext4', flags: [], access: 'mount' },
  { title: 'block volumes, reflink copies', disk: 'xfs', fsType: 'ext4', flags: [], access: 'block' },
  { title: 'ext4 volumes, plain copies', disk: 'ext4', fsType: 'ext4', flags: [], access: 'mount' },
  { title: 'xfs volumes, reflink turned off', disk: 'xfs', fsType: 'xfs', flags: ['--drop-reflink'], access: 'mount' },
] as const;

describe.skipIf(!isRoot)('csi-sanity 5.3.1', () => {
  let sanity = '';
  beforeAll(async () => {
    sanity = (await ensureParts(['csi-sanity'], silentProgress))['csi-sanity'] ?? '';
  }, buildMs);

  it.each(rows)('passes completely with $title', async ({ disk, fsType, flags, access }) => {
    await using scratch = await makeScratch(disk, diskBytes);
    await using driver = await startDriver(scratch, { nodeId: 'node-1', flags });
    const parameters = join(scratch.directory, 'parameters.yaml');
    await writeFile(parameters, `fsType: ${fsType}\n`);
    const report = join(scratch.directory, 'report.json');
    const targets = join(scratch.directory, 'targets');
    await mkdir(targets);
    const { exitCode, all } = await runSanity(sanity, [
      `-csi.endpoint=${driver.endpoint}`,
      `-csi.mountdir=${join(targets, 'mount')}`,
      `-csi.stagingdir=${join(targets, 'staging')}`,
      `-csi.testvolumeparameters=${parameters}`,
      `-csi.testvolumeaccesstype=${access}`,
      `-ginkgo.skip=${unknownToSanity.source}`,
      `-ginkgo.json-report=${report}`,
      '-ginkgo.no-color',
    ]);
    expect(exitCode, all).toBe(0);
    const cases = readReport(await readFile(report, 'utf8'));
    expect(cases.filter(({ state }) => state === 'passed').length).toBeGreaterThanOrEqual(casesMin);
    const skipped = cases.filter(({ state }) => state === 'skipped').map(({ name }) => name);
    expect(skipped.filter((name) => !notDeclared.some((pattern) => pattern.test(name)))).toEqual([]);
    expect(await driver.stop()).toBe(0);
    // Only the scratch disk itself is left.
    const left = await leftoversBelow(scratch.directory);
    expect(left).toEqual({ mounts: [scratch.stateParent], loops: [] });
  });
});
