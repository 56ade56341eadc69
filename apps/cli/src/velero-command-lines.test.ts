import { FakeClock, fakeCluster, seededRandom } from '@lateen/testing';
import { expect, it } from 'vitest';
import { idleProgram } from './idle-program-for-tests.ts';
import { runForTests } from './run-for-tests.ts';

/** Flags of the spec of a backup, which `backup create` and `schedule create` share (docs/reference/cli.md section 3). */
const ofBackups = [
  '--include-namespaces a,b --exclude-namespaces c --include-resources pods,services --exclude-resources secrets',
  '--include-cluster-scoped-resources a --exclude-cluster-scoped-resources b',
  '--include-namespace-scoped-resources a --exclude-namespace-scoped-resources b',
  '--include-cluster-resources',
  '--include-cluster-resources=false',
  '-l app=web',
  '--selector app=web',
  "--or-selector 'app=web or tier=db'",
  '--labels a=b,c=d --annotations e=f',
  '--ttl 24h --storage-location default --volume-snapshot-locations default,other',
  '--snapshot-volumes --snapshot-move-data --default-volumes-to-fs-backup',
  '--snapshot-volumes=false --snapshot-move-data=false --default-volumes-to-fs-backup=false',
  "--ordered-resources 'pods=ns/a,ns/b;persistentvolumes=x'",
  '--csi-snapshot-timeout 10m --item-operation-timeout 4h --resource-policies-configmap policies',
  '--data-mover velero --parallel-files-upload 4',
];

/** Sections 5, 6 and 8: for kinds with these verbs. */
const named = (noun: string, verbs: readonly string[]) =>
  verbs.flatMap((verb) => [`${noun} ${verb} a b`, `${noun} ${verb} -l app=web`, `${noun} ${verb} --selector app=web`]);
const listed = (noun: string) => [
  `${noun} get`,
  `${noun} get a b`,
  ...['table', 'json', 'yaml'].map((format) => `${noun} get -o ${format}`),
  `${noun} get --output json --label-columns tier --show-labels`,
  `${noun} get --show-labels=true`,
];
const deleted = (noun: string) => [
  ...named(noun, ['delete']),
  `${noun} delete --all --confirm`,
  `${noun} delete a --confirm=true`,
];

const lines: readonly string[] = [
  // 1. Global flags.
  ...['-n backup', '--namespace backup', '--kubeconfig f', '--kubecontext c', '--features EnableCSI'],
  ...['--colorized', '--colorized=false', '--colorized=true', '-v 4', '--v=4', '--logtostderr', '--logtostderr=true'],
  ...['--alsologtostderr', '--add_dir_header', '--log_backtrace_at f:1', '--log_dir d', '--log_file f'],
  ...['--log_file_max_size 1800', '--one_output', '--skip_headers', '--skip_log_headers', '--stderrthreshold 2'],
  '--vmodule f=4',
].flatMap((flags) => [`${flags} backup get`, `backup get ${flags}`]);

const more: readonly string[] = [
  // 3. backup create
  ...ofBackups.map((flags) => `backup create a ${flags}`),
  ...['-w', '--wait', '--wait=true', '--wait=false', '-o yaml', '-o json', '-o table'].map(
    (flags) => `backup create a ${flags}`,
  ),
  'backup create --from-schedule nightly',
  'backup create a --from-schedule nightly',
  // 4. restore create
  'restore create --from-backup a',
  'restore create b --from-schedule a',
  ...[
    "--include-namespaces '*' --exclude-namespaces c --namespace-mappings a:b,c:d",
    '--include-resources pods --exclude-resources secrets --labels a=b --annotations c=d',
    '-l app=web',
    '--selector app=web',
    "--or-selector 'app=web or tier=db'",
    '--existing-resource-policy none',
    '--existing-resource-policy update',
    '--status-include-resources pods --status-exclude-resources jobs',
    '--restore-volumes --preserve-nodeports --include-cluster-resources --allow-partially-failed --write-sparse-files',
    '--restore-volumes=false --preserve-nodeports=false --include-cluster-resources=false --allow-partially-failed=false --write-sparse-files=false',
    '--parallel-files-download 4 --resource-modifier-configmap modifiers --item-operation-timeout 4h',
    '-w',
    '--wait=false',
    '-o yaml',
  ].map((flags) => `restore create --from-backup a ${flags}`),
  // 5. schedule
  ...ofBackups.map((flags) => `schedule create a --schedule '@daily' ${flags}`),
  ...['--use-owner-references-in-backup', '--use-owner-references-in-backup=false', '--paused', '--paused=false'].map(
    (flags) => `schedule create a --schedule '0 1 * * *' ${flags}`,
  ),
  ...['--skip-immediately', '--skip-immediately=false', '-o json'].map(
    (flags) => `schedule create a --schedule '0 1 * * *' ${flags}`,
  ),
  ...named('schedule', ['pause', 'unpause']),
  ...['pause --all', 'unpause --all', 'unpause a --skip-immediately', 'unpause a --skip-immediately=false'].map(
    (words) => `schedule ${words}`,
  ),
  // 6. delete
  ...['backup', 'restore', 'schedule', 'backup-location'].flatMap(deleted),
  // 7. Downloads
  'backup download a',
  'backup download a -o f --force --timeout 2m --insecure-skip-tls-verify --cacert f',
  'backup download a --output f --force=false --insecure-skip-tls-verify=true',
  ...['backup', 'restore'].flatMap((noun) => [
    `${noun} logs a`,
    `${noun} logs a --timeout 2m --insecure-skip-tls-verify --cacert f`,
  ]),
  // 8. get
  ...['backup', 'restore', 'schedule', 'backup-location', 'snapshot-location', 'repo'].flatMap(listed),
  'backup-location get --default',
  ...['get -l a=b', 'get --selector a=b'].flatMap((words) => [`backup ${words}`, `restore ${words}`]),
  ...['plugin get', 'plugin get --timeout 10s -o json'],
  // 9. describe
  ...['backup', 'restore', 'schedule'].flatMap((noun) => named(noun, ['describe'])),
  ...['backup', 'restore'].flatMap((noun) => [
    `${noun} describe`,
    `${noun} describe a --details --insecure-skip-tls-verify --cacert f`,
    `${noun} describe a --details=true`,
  ]),
  ...['plaintext', 'json'].map((format) => `backup describe a -o ${format}`),
  // 10. Locations
  'backup-location create a --provider aws --bucket b --prefix p --default --credential secret=key --backup-sync-period 1m --validation-frequency 1m --config region=r --labels a=b --cacert f --access-mode ReadOnly',
  'backup-location create a --provider aws --bucket b --default=false --access-mode ReadWrite -o yaml',
  'backup-location set a --cacert f --credential secret=key --default',
  'backup-location set a --default=false',
  'snapshot-location create a --provider aws --config region=r --labels a=b --credential secret=key',
  'snapshot-location set a --credential secret=key',
  // 11. version
  ...['version', 'version --client-only', 'version --client-only=true', 'version --timeout 10s'],
  // 12. plugin add, remove
  ...['Always', 'IfNotPresent', 'Never'].map((policy) => `plugin add registry/image:1 --image-pull-policy ${policy}`),
  ...['plugin add registry/image:1 --confirm', 'plugin remove image', 'plugin remove registry/image:1 --confirm'],
  // 13. install, uninstall
  ...[
    '--provider aws --bucket b --prefix p --secret-file f --plugins a,b --image i',
    '--no-secret --backup-location-config region=r --snapshot-location-config region=r --use-volume-snapshots=false',
    '--no-secret=true --use-volume-snapshots --use-node-agent --use-node-agent-windows=false --privileged-node-agent=false',
    '--node-agent-disable-host-path --kubelet-root-dir /var/lib/kubelet',
    '--velero-pod-cpu-request 500m --velero-pod-mem-request 128Mi --velero-pod-cpu-limit 1000m --velero-pod-mem-limit 512Mi',
    '--node-agent-pod-cpu-request 0 --node-agent-pod-mem-request 0 --node-agent-pod-cpu-limit 0 --node-agent-pod-mem-limit 0',
    '--features EnableCSI --default-volumes-to-fs-backup --default-snapshot-move-data --uploader-type kopia',
    '--node-agent-configmap a --repo-maintenance-job-configmap b --backup-repository-configmap c',
    '--item-block-worker-count 2 --concurrent-backups 2 --schedule-skip-immediately --disable-informer-cache=false',
    '--garbage-collection-frequency 1h --default-repo-maintain-frequency 1h --pod-volume-operation-timeout 4h',
    '--crds-only --dry-run -o yaml',
    '--apply --wait --no-default-backup-location --cacert f',
    '--crds-only=false --dry-run=false --apply=true --wait=false --no-default-backup-location=false',
    '--service-account-name a --sa-annotations a=b --pod-annotations a=b --pod-labels a=b',
  ].map((flags) => `install ${flags}`),
  ...['uninstall', 'uninstall --force --confirm', 'uninstall --force=true --confirm=true'],
  // 14. debug
  ...['debug', 'debug --backup a --restore b --output f --verbose', 'debug --verbose=false'],
  // 2. The rest of the tree.
  ...['client config get', 'client config get namespace features', 'client config set namespace=a colorized=false'],
  ...['bash', 'zsh', 'fish'].map((shell) => `completion ${shell}`),
  // 2. Verbs first, with singular and plural.
  ...['backup', 'restore', 'schedule', 'backup-location', 'snapshot-location', 'plugin'].flatMap((noun) => [
    `get ${noun}s`,
    `get ${noun} -o json`,
  ]),
  ...['backup', 'restore', 'schedule'].flatMap((noun) => [`describe ${noun}s`, `describe ${noun} a`]),
  'create backup a --wait',
  'create restore --from-backup a',
  "create schedule a --schedule '@daily'",
  'create backup-location a --provider aws --bucket b',
  'create snapshot-location a --provider aws',
  ...['backup', 'restore', 'schedule', 'backup-location'].flatMap((noun) => [
    `delete ${noun} a --confirm`,
    `delete ${noun}s --all`,
  ]),
];

const wordsOf = (line: string): string[] => line.match(/'[^']*'|\S+/g)?.map((word) => word.replaceAll("'", '')) ?? [];

it.each([...lines, ...more])('velero %s is a command line of lateen too', async (line) => {
  const written: string[] = [];
  const outcome = idleProgram(written).parseAsync(wordsOf(line), { from: 'user' });
  await expect(outcome, written.join('')).resolves.toBeDefined();
});

/** What Velero has and Lateen has not: the message, which ends with the next step if there is one. */
const unsupported: [string, string][] = [
  [
    'install --use-node-agent-windows',
    'An error occurred: --use-node-agent-windows is refused: there is no image for Windows nodes\n',
  ],
  ['bug', "error: unknown command 'bug'\n(Did you mean debug?)\nSee lateen --help.\n"],
  ['server', "error: unknown command 'server'\nSee lateen --help.\n"],
];

it.each(unsupported)('velero %s is rejected with a message', async (line, message) => {
  const clock = new FakeClock();
  const kube = fakeCluster({ clock, objects: [] });
  const { code, stderr } = await runForTests({ clock, random: seededRandom(), kube }, wordsOf(line));
  expect([code, stderr]).toEqual([1, message]);
});

it.each(['--wait=maybe', '--confirm=maybe', '--colorized=maybe'])(
  'an invalid value of a boolean is rejected: %s',
  async (flag) => {
    const [name] = flag.split('=');
    const words = ['backup', 'delete', 'a', flag];
    await expect(idleProgram().parseAsync(words, { from: 'user' })).rejects.toThrow(
      `${name} "maybe" is not true or false`,
    );
  },
);

it('false is the same as leaving a flag out, and a word after a boolean flag is an argument', async () => {
  const program = idleProgram();
  await program.parseAsync(['plugin', 'remove', '--confirm=false', '--colorized', 'image'], { from: 'user' });
  const remove = program.commands
    .find((each) => each.name() === 'plugin')
    ?.commands.find((each) => each.name() === 'remove');
  expect([remove?.args, remove?.opts().confirm ?? false, program.opts().colorized]).toEqual([['image'], false, true]);
});
