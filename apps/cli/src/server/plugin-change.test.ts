import { type Backup, type BackupPhase, backupType, controllerName, deploymentType } from '@lateen/api-types';
import { renderManifests } from '@lateen/manifests';
import { FakeClock, fakeCluster, letTimePass, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { bundledManifests } from '../install/bundled-manifests.ts';
import { runForTests } from '../run-for-tests.ts';

const key = { namespace: 'velero', name: controllerName };
const image = 'registry.example:5000/team/velero-plugin-example:v1.2.0';
const name = 'team-velero-plugin-example';
const rendered = renderManifests(await bundledManifests(), { parts: ['controller'] });

const backup = (backupName: string, phase: BackupPhase): Backup => ({
  apiVersion: 'velero.io/v1',
  kind: 'Backup',
  metadata: { namespace: 'velero', name: backupName },
  spec: {},
  status: { phase },
});

function setUp({ installed = true } = {}) {
  const clock = new FakeClock();
  const controller = rendered.filter(({ kind }) => kind === 'Deployment');
  const cluster = fakeCluster({ clock, objects: installed ? structuredClone(controller) : [] });
  const run = (words: string, answer?: string) => {
    const world = { clock, random: seededRandom(), kube: cluster };
    return letTimePass(runForTests(world, words.split(' '), answer === undefined ? {} : { answer }), clock);
  };
  const containers = () =>
    cluster.find(deploymentType, key)?.spec.template.spec.initContainers?.map((each) => [each.name, each.image]);
  return { cluster, run, containers };
}

describe('lateen plugin add', () => {
  it('adds an init container that copies the programs, named as Velero names it', async () => {
    const { run, cluster } = setUp();
    const { code, stdout } = await run(`plugin add ${image}`);
    expect([code, stdout]).toEqual([0, `configured  Deployment velero/lateen-controller  (plugins: ${name})\n`]);
    expect(cluster.find(deploymentType, key)?.spec.template.spec.initContainers).toEqual([
      {
        name,
        image,
        imagePullPolicy: 'IfNotPresent',
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        terminationMessagePolicy: 'FallbackToLogsOnError',
        volumeMounts: [{ name: 'plugins', mountPath: '/target' }],
      },
    ]);
  });

  it('replaces another version, and changes nothing when the version is already there', async () => {
    const { run, containers } = setUp();
    await run(`plugin add ${image}`);
    await run('plugin add other/plugin');
    const newer = image.replace('v1.2.0', 'v1.3.0');
    await run(`plugin add ${newer} --image-pull-policy Always`);
    expect(containers()).toEqual([
      [name, newer],
      ['other-plugin', 'other/plugin'],
    ]);
    expect((await run(`plugin add ${newer}`)).stdout).toMatch(/^unchanged {2}Deployment/);
  });

  it('names backups that would fail and asks; after a no nothing is changed', async () => {
    const { run, cluster, containers } = setUp();
    cluster.put(backup('nightly', 'InProgress'));
    cluster.put(backup('waiting', 'Queued'));
    const refused = await run(`plugin add ${image}`, 'n');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('The server restarts, and these fail: Backup nightly (InProgress)\n');
    expect(refused.asked).toEqual([`Really add plugin ${name} now? (y/N) `]);
    expect(containers()).toBeUndefined();
    expect((await run(`plugin add ${image}`)).stderr).toContain('Give --confirm to run without a question.');
    expect((await run(`plugin add ${image} --confirm`)).code).toBe(0);
    expect(cluster.all(backupType, 'velero')).toHaveLength(2);
  });

  it.each([
    ['plugin add', "error: missing required argument 'image'"],
    ['plugin add :v1', 'IMAGE ":v1" is not the name of an image'],
    [`plugin add ${image} --image-pull-policy Sometimes`, "argument 'Sometimes' is invalid"],
    [`plugin add ${image} --timeout soon`, '--timeout'],
  ])('rejects %s before anything is changed', async (words, message) => {
    const { run, containers } = setUp();
    const { code, stderr } = await run(words);
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
    expect(containers()).toBeUndefined();
  });

  it('reports that nothing is installed', async () => {
    const { code, stderr } = await setUp({ installed: false }).run(`plugin add ${image}`);
    expect([code, stderr]).toEqual([1, expect.stringContaining('deployments.apps "lateen-controller" not found')]);
  });

  it('does not change an installation of Helm', async () => {
    const { run, cluster } = setUp();
    cluster.change(deploymentType, key, (deployment) => {
      deployment.metadata.annotations = { 'meta.helm.sh/release-name': 'lateen' };
    });
    expect((await run(`plugin add ${image}`)).stderr).toContain("this installation is Helm's release lateen");
  });

  it('does not replace an init container that is not a plugin', async () => {
    const { run, cluster, containers } = setUp();
    cluster.change(deploymentType, key, ({ spec }) => {
      spec.template.spec.initContainers = [{ name, image: 'certificates:1' }];
    });
    expect((await run(`plugin add ${image}`)).stderr).toContain(`init container ${name} of the server is not one of a`);
    expect(containers()).toEqual([[name, 'certificates:1']]);
  });
});

describe('lateen plugin remove', () => {
  it.each([
    ['by its name', name],
    ['by its image', image],
  ])('removes one %s', async (_, word) => {
    const { run, containers } = setUp();
    await run(`plugin add ${image}`);
    const { code, stdout } = await run(`plugin remove ${word}`);
    expect([code, stdout]).toEqual([0, 'configured  Deployment velero/lateen-controller  (no plugins)\n']);
    expect(containers()).toBeUndefined();
  });

  it('reports in Velero’s words that it does not exist, and lists the others', async () => {
    const { run } = setUp();
    await run(`plugin add ${image}`);
    const { code, stderr } = await run('plugin remove other');
    expect(code).toBe(1);
    expect(stderr).toContain('init container other not found in Velero server deployment');
    expect(stderr).toContain(`Installed are: ${name} (${image}).`);
  });
});
