import {
  type Backup,
  backupStorageLocationType,
  backupType,
  type DataUpload,
  daemonSetType,
  dataUploadType,
  deploymentType,
  finalizers,
  type KubeObject,
  namespaceType,
  podVolumeBackupType,
  restoreType,
  scheduleType,
  secretType,
  serviceAccountType,
  type Unstructured,
} from '@lateen/api-types';
import { typeOf } from '@lateen/manifests';
import {
  aConfigMap,
  aDataUpload,
  aSecret,
  FakeClock,
  fakeCluster,
  letTimePass,
  referenceInstallation,
  seededRandom,
} from '@lateen/testing';
import { loadAll } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { runForTests } from '../run-for-tests.ts';

const image = ['--image', 'r.example/lateen:1'];
const reference = () => referenceInstallation();
const bindingType = typeOf(reference().binding);
const key = (name: string) => ({ namespace: 'velero', name });

const velero = (kind: string, name: string, parts: object = {}): Unstructured => ({
  apiVersion: 'velero.io/v1',
  kind,
  metadata: { name, namespace: 'velero' },
  ...parts,
});
const backup = (name: string, phase: string) => velero('Backup', name, { spec: {}, status: { phase } });

/** Objects that Velero's server and a user have created. */
const itsObjects = (): KubeObject[] => [
  aSecret({ name: 'velero-repo-credentials', namespace: 'velero', values: { 'repository-password': 'of-our-own' } }),
  velero('Schedule', 'nightly', { spec: { schedule: '@daily', template: {} }, status: { phase: 'Enabled' } }),
  backup('old', 'Completed'),
  velero('Restore', 'old', { spec: { backupName: 'old' }, status: { phase: 'Completed' } }),
  velero('BackupRepository', 'shop-default-kopia', { spec: {}, status: { phase: 'Ready' } }),
];

interface Options {
  answer?: string;
  /** Ready pods of the server and of the node-agents. */
  running?: boolean;
  change?: (objects: ReturnType<typeof reference>) => void;
}

function setUp(objects: KubeObject[] = [], { answer, running = true, change }: Options = {}) {
  const clock = new FakeClock();
  const installed = reference();
  change?.(installed);
  const cluster = fakeCluster({ clock, objects: [...structuredClone(installed.all), ...itsObjects(), ...objects] });
  if (running) {
    cluster.change(deploymentType, key('velero'), (it) => {
      it.status = { readyReplicas: 1 };
    });
    cluster.change(daemonSetType, key('node-agent'), (it) => {
      it.status = { numberReady: 1 };
    });
  }
  // Does what kube-apiserver does for definitions.
  cluster.onChange(({ type, object }) => {
    if (type !== 'ADDED' || object.kind !== 'CustomResourceDefinition') return;
    cluster.change<Unstructured>(typeOf(object), { name: object.metadata.name ?? '' }, (definition) => {
      definition.status = { conditions: [{ type: 'Established', status: 'True' }] };
    });
  });
  const asked: string[] = [];
  const run = async (...words: string[]) => {
    const world = { clock, random: seededRandom(), kube: cluster };
    const ran = await letTimePass(
      runForTests(world, ['install', ...words], answer === undefined ? {} : { answer }),
      clock,
    );
    asked.push(...ran.asked);
    return { exitCode: ran.code, out: ran.stdout, err: ran.stderr };
  };
  const changes = () => cluster.calls.filter(isChange);
  return { cluster, run, asked, changes };
}

const isChange = ({ verb, type }: { verb: string; type: { kind: string } }): boolean =>
  ['patch', 'delete', 'create', 'update'].includes(verb) && type.kind !== 'SubjectAccessReview';

type Cluster = ReturnType<typeof setUp>['cluster'];

/** What is the same however often a take-over was interrupted. */
function outcome(cluster: Cluster) {
  const record = cluster.find(secretType, key('lateen-take-over'));
  const text = Buffer.from(record?.data?.['replaced.yaml'] ?? '', 'base64').toString();
  return {
    objects: cluster
      .everything()
      .map(({ kind, metadata }) => `${kind} ${metadata.name}`)
      .sort(),
    replaced: (loadAll(text) as Unstructured[]).map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort(),
    settings: cluster.find(deploymentType, key('lateen-controller'))?.metadata.annotations,
    level: cluster.find(namespaceType, { name: 'velero' })?.metadata.labels?.['pod-security.kubernetes.io/enforce'],
  };
}

describe('lateen install --take-over', () => {
  it('replaces the workloads, removes the cluster-admin binding, and keeps everything else', async () => {
    const { run, cluster } = setUp();
    const before = itsObjects();
    const location = cluster.find(backupStorageLocationType, key('default'));
    const { exitCode, out, err } = await run('--take-over', '--confirm', ...image);
    expect([exitCode, err]).toEqual([
      0,
      expect.stringContaining('to be replaced    Deployment velero/velero by Deployment lateen-controller of Lateen'),
    ]);
    expect(err).toContain(
      'to be removed     ClusterRoleBinding velero, by which ServiceAccount velero/velero may do everything\n',
    );
    expect(err).toContain('to be kept        Schedule nightly\n');
    expect(err).not.toContain('--provider');
    expect(cluster.find(deploymentType, key('velero'))).toBeUndefined();
    expect(cluster.find(bindingType, { name: 'velero' })).toBeUndefined();
    const agent = cluster.find(daemonSetType, key('node-agent'));
    expect(agent?.spec.template.spec).toMatchObject({
      serviceAccountName: 'node-agent',
      containers: [{ image: image[1] }],
    });
    for (const { kind, metadata, ...rest } of before) {
      const kept = cluster.everything().find((it) => it.kind === kind && it.metadata.name === metadata.name);
      expect(kept).toMatchObject(rest);
    }
    expect(cluster.find(backupStorageLocationType, key('default'))).toEqual(location);
    expect(out).toContain('removed     Deployment velero/velero\nremoved     DaemonSet velero/node-agent\n');
    expect(out).toContain('checked     rights of ServiceAccount velero, node-agent: no more than Lateen needs\n');
    expect(out + err).not.toMatch(/of-our-own|default password/);
  });

  it('removes the binding before any pod of ours can run with the account', async () => {
    const { run, changes } = setUp();
    await run('--take-over', '--confirm', ...image);
    const order = changes().map(({ verb, type }) => `${verb} ${type.kind}`);
    const at = (what: string) => order.lastIndexOf(what);
    expect(at('delete Deployment')).toBeLessThan(at('delete ClusterRoleBinding'));
    expect(at('delete ClusterRoleBinding')).toBeLessThan(at('patch Deployment'));
    expect(order[0]).toBe('patch Secret');
  });

  it('asks first, and changes nothing after a no, without a terminal, or in a dry run', async () => {
    const no = setUp([], { answer: 'n' });
    expect(await no.run('--take-over', ...image)).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('nothing was changed'),
    });
    expect(no.asked).toEqual(['Take over all this? (y/N) ']);
    const nobody = setUp();
    expect((await nobody.run('--take-over', ...image)).err).toContain('Give --confirm to run without a question');
    const dry = setUp();
    const { exitCode, out, err } = await dry.run('--take-over', '--dry-run', ...image);
    expect([exitCode, out]).toEqual([
      0,
      expect.stringContaining('would be applied  Deployment velero/lateen-controller\n'),
    ]);
    expect(err).toContain('to be replaced    DaemonSet velero/node-agent');
    expect([no.changes(), nobody.changes(), dry.changes()]).toEqual([[], [], []]);
    const yes = setUp([], { answer: 'y' });
    expect((await yes.run('--take-over', ...image)).exitCode).toBe(0);
  });

  it('has the same result wherever it was interrupted, with either command', async () => {
    const objects = () => [
      backup('running', 'InProgress'),
      aConfigMap({ name: 'agents', namespace: 'velero', data: {} }),
    ];
    const options: Options = {
      running: false,
      change: ({ agent, account }) => {
        agent.spec.template.spec.containers[0]?.args?.push('--node-agent-configmap=agents');
        account.metadata.annotations = { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/backup' };
      },
    };
    const whole = setUp(objects(), options);
    expect((await whole.run('--take-over', '--confirm', ...image)).exitCode).toBe(0);
    const wanted = outcome(whole.cluster);
    expect(wanted.replaced).toEqual([
      'ClusterRoleBinding velero',
      'DaemonSet node-agent',
      'Deployment velero',
      'Namespace velero',
    ]);
    const writes = whole.changes().length;
    for (let failing = 0; failing < writes; failing++) {
      const { run, cluster } = setUp(objects(), options);
      let count = 0;
      const stop = cluster.intercept((call, next) => {
        if (isChange(call) && count++ >= failing) throw new Error('the laptop was closed');
        return next();
      });
      expect((await run('--take-over', '--confirm', ...image)).exitCode).toBe(1);
      stop();
      const again = await run('--take-over', '--confirm', ...image);
      expect([failing, again.exitCode, outcome(cluster)]).toEqual([failing, 0, wanted]);
      expect(cluster.find(backupType, key('running'))?.status?.phase).toBe('Failed');
    }
  });

  it('continues with the settings of Velero in a plain install, when its workloads are gone', async () => {
    const { run, cluster } = setUp([aConfigMap({ name: 'agents', namespace: 'velero', data: {} })], {
      change: ({ agent }) => agent.spec.template.spec.containers[0]?.args?.push('--node-agent-configmap', 'agents'),
    });
    cluster.failOnce('delete', bindingType, 'KUBE_FORBIDDEN');
    expect(await run('--take-over', '--confirm', ...image)).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('ClusterRoleBinding velero could not be changed'),
    });
    const { exitCode, err } = await run(...image);
    expect([exitCode, err]).toEqual([
      0,
      expect.stringContaining('kept from the last install: --node-agent-configmap=agents'),
    ]);
    expect(err).toContain('warning: ClusterRoleBinding velero lets ServiceAccount velero do everything');
    const rest = await run('--take-over', '--confirm');
    expect([rest.exitCode, cluster.find(bindingType, { name: 'velero' })]).toEqual([0, undefined]);
  });
});

describe('running Backups, Restores and movements', () => {
  it('are waited for', async () => {
    const { run, cluster, changes } = setUp([backup('b', 'InProgress')]);
    let looks = 0;
    cluster.intercept((call, next) => {
      if (call.verb === 'list' && call.type.kind === 'Backup' && ++looks === 4)
        cluster.change<Backup>(backupType, key('b'), (it) => {
          it.status = { phase: 'Completed' };
        });
      return next();
    });
    const { exitCode, err } = await run('--take-over', '--confirm', ...image);
    expect([exitCode, err]).toEqual([0, expect.stringContaining('to be waited for  Backup b (InProgress)\n')]);
    expect(err).toContain('waiting for Backup b (InProgress)');
    expect(cluster.find(backupType, key('b'))?.status).toEqual({ phase: 'Completed' });
    expect(changes().some(({ type }) => type.kind === 'Backup')).toBe(false);
  });

  it('prevent any change after the timeout', async () => {
    const { run, changes } = setUp([
      backup('b', 'WaitingForPluginOperations'),
      aDataUpload({ name: 'up', namespace: 'velero', status: { phase: 'InProgress' } }),
    ]);
    const { exitCode, err } = await run('--take-over', '--confirm', ...image, '--timeout', '1m');
    expect([exitCode, changes()]).toEqual([1, []]);
    expect(err).toContain(
      'Backup b (WaitingForPluginOperations), DataUpload up (InProgress) did not end within 1m0s; nothing was changed',
    );
    expect(err).toContain('--force ends what has not ended by then');
  });

  it('are ended with --force: movements are canceled first, Backups and Restores fail with the reason', async () => {
    const upload = aDataUpload({ name: 'up', namespace: 'velero', status: { phase: 'InProgress' } });
    const { run, cluster } = setUp([
      upload,
      aDataUpload({
        name: 'of-another',
        namespace: 'velero',
        spec: { ...upload.spec, datamover: 'other' },
        status: { phase: 'InProgress' },
      }),
      backup('b', 'InProgress'),
      backup('queued', 'Queued'),
      velero('Restore', 'r', { spec: { backupName: 'old' }, status: { phase: 'Finalizing' } }),
      velero('PodVolumeBackup', 'p', {
        metadata: { name: 'p', namespace: 'velero', finalizers: [finalizers.podVolume] },
        spec: {},
        status: { phase: 'InProgress' },
      }),
      velero('DeleteBackupRequest', 'd', { spec: { backupName: 'old' }, status: { phase: 'InProgress' } }),
    ]);
    cluster.onChange(({ object }) => {
      const { metadata, spec, status } = object as unknown as DataUpload;
      if (object.kind !== 'DataUpload' || spec.cancel !== true || status?.phase !== 'InProgress') return;
      cluster.change(dataUploadType, key(metadata.name ?? ''), (it) => {
        it.status = { phase: 'Canceled' };
      });
    });
    const { exitCode, out, err } = await run('--take-over', '--confirm', '--force', '--timeout', '1m', ...image);
    expect([exitCode, err]).toEqual([0, expect.stringContaining('to be ended       Backup b (InProgress)')]);
    expect(err).toContain('to be left        DeleteBackupRequest d (InProgress), as it is');
    const failed = {
      phase: 'Failed',
      failureReason: 'it had not ended when Lateen took over the installation of Velero',
    };
    expect(cluster.find(backupType, key('b'))?.status).toMatchObject(failed);
    expect(cluster.find(backupType, key('queued'))?.status).toMatchObject(failed);
    expect(cluster.find(restoreType, key('r'))?.status).toMatchObject(failed);
    expect(cluster.find(dataUploadType, key('up'))?.status?.phase).toBe('Canceled');
    expect(cluster.find(dataUploadType, key('of-another'))?.spec.cancel).toBeUndefined();
    const volume = cluster.find(podVolumeBackupType, key('p'));
    expect([volume?.status?.phase, volume?.metadata.finalizers]).toEqual(['Canceled', []]);
    expect(out).toContain('ended       Restore r (Finalizing)\n');
    expect(cluster.find(backupType, key('old'))?.status).toEqual({ phase: 'Completed' });
  });

  it('are not waited for when no pod of Velero runs any more', async () => {
    const { run, cluster } = setUp([backup('b', 'InProgress')], { running: false });
    const { exitCode, err } = await run('--take-over', '--confirm', ...image);
    expect([exitCode, err]).toEqual([0, expect.stringContaining('to be ended       Backup b (InProgress)\n')]);
    expect(cluster.find(backupType, key('b'))?.status?.phase).toBe('Failed');
  });

  it('are ended also when they start at the last moment', async () => {
    const { run, cluster } = setUp();
    cluster.onChange(({ type, object }) => {
      if (type === 'DELETED' && object.kind === 'Deployment') cluster.put(backup('late', 'InProgress'));
    });
    const { exitCode, out } = await run('--take-over', '--confirm', ...image);
    expect([exitCode, out]).toEqual([0, expect.stringContaining('ended       Backup late (InProgress)\n')]);
  });

  it('are left alone when Lateen itself is running, and only its permissions are reduced', async () => {
    const { run, cluster } = setUp();
    await run('--take-over', '--confirm', ...image);
    cluster.put(
      reference().binding,
      aDataUpload({ name: 'ours', namespace: 'velero', status: { phase: 'InProgress' } }),
    );
    const { exitCode, out } = await run('--take-over', '--confirm');
    expect([exitCode, out]).toEqual([0, expect.stringContaining('removed     ClusterRoleBinding velero\n')]);
    expect(cluster.find(dataUploadType, key('ours'))?.spec.cancel).toBeUndefined();
  });
});

describe('permissions after a take-over', () => {
  it('are removed from a binding that has other subjects too, which it keeps', async () => {
    const other = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'platform' };
    const { run, cluster } = setUp([], {
      change: ({ binding }) => {
        binding.metadata.name = 'admins';
        (binding.subjects as object[]).push(other);
      },
    });
    const { exitCode, err } = await run('--take-over', '--confirm', ...image);
    expect([exitCode, err]).toEqual([
      0,
      expect.stringContaining(
        'to be narrowed    ClusterRoleBinding admins: ServiceAccount velero/velero is taken out, 1 other subjects stay\n',
      ),
    ]);
    expect(cluster.find(bindingType, { name: 'admins' })?.subjects).toEqual([other]);
  });

  it('are reported when a group grants them, in the words of the API server', async () => {
    const binding = { ...reference().binding, metadata: { name: 'all' } };
    const { run } = setUp([
      { ...binding, subjects: [{ kind: 'Group', name: 'system:serviceaccounts' }] } as KubeObject,
    ]);
    const { exitCode, err } = await run('--take-over', '--confirm', ...image);
    expect([exitCode, err]).toEqual([
      1,
      expect.stringContaining(
        'ServiceAccount velero/velero may delete nodes, which Lateen never does: RBAC: allowed by ClusterRoleBinding "all" of ClusterRole "cluster-admin"',
      ),
    ]);
  });

  it('are not reported as checked when the check is not allowed', async () => {
    const { run, cluster } = setUp();
    const type = (await cluster.resourceTypes()).find(({ kind }) => kind === 'SubjectAccessReview');
    cluster.failOnce('create', type as never, 'KUBE_FORBIDDEN');
    const { exitCode, out, err } = await run('--take-over', '--confirm', ...image);
    expect([exitCode, err]).toEqual([0, expect.stringContaining('warning: the remaining rights could not be checked')]);
    expect(out).not.toContain('checked');
  });
});

describe('messages and rejections of a take-over', () => {
  it('warns about the default password, without printing it', async () => {
    const { run } = setUp([
      aSecret({
        name: 'velero-repo-credentials',
        namespace: 'velero',
        values: { 'repository-password': 'static-passw0rd\n' },
      }),
    ]);
    const { out, err } = await run('--take-over', '--dry-run', ...image);
    expect(err).toContain('change it with lateen repo change-password -n velero');
    expect(out + err).not.toContain('passw0rd');
  });

  it("takes over flags, ConfigMaps and the cloud's role, and says what it does not take over", async () => {
    const { run, cluster } = setUp([aConfigMap({ name: 'agents', namespace: 'velero', data: {} })], {
      change: ({ server, agent, account }) => {
        const [container] = server.spec.template.spec.containers;
        container?.args?.push('--default-repo-maintain-frequency=4h0m0s', '--garbage-collection-frequency=2h');
        container?.args?.push('--client-qps=50');
        container?.env?.push({ name: 'HTTPS_PROXY', value: 'http://user:hidden@proxy' });
        agent.spec.template.spec.containers[0]?.args?.push('--node-agent-configmap=agents');
        agent.spec.template.spec.tolerations = [{ operator: 'Exists' }];
        account.metadata.annotations = { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/backup' };
      },
    });
    const { exitCode, out, err } = await run('--take-over', '--confirm', ...image);
    expect(exitCode).toBe(0);
    expect(err).toContain(
      'to be carried     settings of Velero: --default-repo-maintain-frequency=4h0m0s --garbage-collection-frequency=2h --node-agent-configmap=agents --sa-annotations=eks.amazonaws.com/role-arn=arn:aws:iam::1:role/backup\n',
    );
    expect(err).toContain('warning: flags of Deployment velero are not carried over: --client-qps\n');
    expect(err).toContain('warning: variables of Deployment velero are not carried over: HTTPS_PROXY\n');
    expect(err).toContain('warning: fields of DaemonSet node-agent are not carried over: tolerations\n');
    expect(out + err).not.toContain('hidden@proxy');
    const account = cluster.find(serviceAccountType, key('node-agent'));
    expect(account?.metadata.annotations).toEqual({ 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/backup' });
    const upgraded = await run('--image', 'r.example/lateen:2');
    expect(upgraded.err).toContain('kept from the last install: --node-agent-configmap=agents');
  });

  it('rejects an installation that Helm owns, and continues when Helm no longer has it', async () => {
    const record = aSecret({
      name: 'sh.helm.release.v1.backup.v1',
      namespace: 'velero',
      labels: { owner: 'helm', name: 'backup' },
      values: {},
    });
    const { run, cluster, changes } = setUp([record], {
      change: ({ server }) => {
        server.metadata.annotations = {
          'meta.helm.sh/release-name': 'backup',
          'meta.helm.sh/release-namespace': 'velero',
        };
      },
    });
    const { exitCode, err } = await run('--take-over', '--confirm', ...image);
    expect([exitCode, err, changes()]).toEqual([
      1,
      expect.stringContaining('kubectl delete secret -n velero -l owner=helm,name=backup'),
      [],
    ]);
    cluster.remove(secretType, key('sh.helm.release.v1.backup.v1'));
    expect((await run('--take-over', '--confirm', ...image)).exitCode).toBe(0);
  });

  it('is named by the rejection of a plain install, which changes nothing', async () => {
    const { run, changes } = setUp();
    const { exitCode, err } = await run(...image);
    expect([exitCode, changes()]).toEqual([1, []]);
    expect(err).toContain('Deployment velero/velero is not Lateen');
    expect(err).toContain('lateen install --take-over (--dry-run shows');
  });

  it('reports when there is nothing to take over, and installs', async () => {
    const { run } = setUp();
    await run('--take-over', '--confirm', ...image);
    const { exitCode, out, err } = await run('--take-over');
    expect([exitCode, err]).toEqual([
      0,
      expect.stringContaining('note: there is nothing to take over in namespace velero.\n'),
    ]);
    expect(out).toMatch(/ 0 created, 0 configured, \d+ unchanged\.\n/);
  });

  it.each([
    [['--force'], '--force needs --take-over'],
    [['--take-over', '--crds-only'], 'Cannot use both --take-over and --crds-only'],
    [['--take-over', '-o', 'yaml'], 'Cannot use both --take-over and --output'],
  ])('rejects %j', async (words, text) => {
    const { run, cluster } = setUp();
    expect(await run(...words)).toMatchObject({ exitCode: 1, err: expect.stringContaining(text) });
    expect(cluster.calls).toEqual([]);
  });

  it('removes node-agents for Windows, for which there is no image', async () => {
    const windows = structuredClone(reference().agent);
    windows.metadata.name = 'node-agent-windows';
    windows.spec.selector = { matchLabels: { name: 'node-agent-windows' } };
    const { run, cluster } = setUp([windows]);
    const { exitCode, err } = await run('--take-over', '--confirm', ...image);
    expect([exitCode, cluster.find(daemonSetType, key('node-agent-windows'))]).toEqual([0, undefined]);
    expect(err).toContain(
      'to be removed     DaemonSet velero/node-agent-windows: there is no image for Windows nodes\n',
    );
  });

  it('keeps Schedules unchanged, and says that no controller runs them', async () => {
    const { run, cluster } = setUp();
    const before = cluster.find(scheduleType, key('nightly'));
    await run('--take-over', '--confirm', ...image);
    expect(cluster.find(scheduleType, key('nightly'))).toEqual(before);
  });
});
