import { aBackupStorageLocation, FakeClock, fakeCluster, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { runForTests } from '../run-for-tests.ts';

const velero = (kind: string, name: string, spec: object, status: object = {}) => ({
  apiVersion: 'velero.io/v1',
  kind,
  metadata: { name, namespace: 'velero' },
  spec,
  status,
});
const objects = [
  aBackupStorageLocation(),
  velero('Backup', 'there', {}, { phase: 'Completed' }),
  velero('Schedule', 'nightly', { schedule: '@daily', template: {} }),
];
const writes = new Set(['create', 'update', 'patch', 'delete']);

async function run(words: readonly string[]) {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock, objects });
  const ran = await runForTests({ clock, random: seededRandom(), kube: cluster }, words);
  return { ...ran, written: cluster.calls.filter(({ verb }) => writes.has(verb)).map(({ verb }) => verb) };
}

const create = (...more: string[]) => ['backup', 'create', 'new', ...more];
const schedule = (...more: string[]) => ['schedule', 'create', 'new', '--schedule', '@daily', ...more];
const describing = (...more: string[]) => ['backup', 'describe', 'there', ...more];

const nameRule =
  "A name is made of lower case letters, digits, '-' and '.', begins and ends with a letter or digit, and has at most 253 characters.";
const pairs = 'Write pairs as key=value, separated by commas.';
const period = 'Write it as 90s, 10m or 1h30m.';
const list = 'Write names separated by commas.';
const ordered = "Write each kind once, with its objects: 'pods=ns1/pod1,ns1/pod2;persistentvolumes=pv4'.";
const form = 'a requirement is key=value, key!=value, key in (a,b), key notin (a,b), key or !key';
const oldAndNew =
  'include-resources, exclude-resources and include-cluster-resources are old filter parameters.\n' +
  'include-cluster-scoped-resources, exclude-cluster-scoped-resources, include-namespace-scoped-resources and exclude-namespace-scoped-resources are new filter parameters.\n' +
  'They cannot be used together';
const exactlyOne = (noun: string) =>
  `you must specify exactly one of: specific ${noun} name(s), the --all flag, or the --selector flag`;

/** Flags that `backup create` and `schedule create` share: both commands are tested. */
const spec: [string[], string][] = [
  [['--include-namespaces', ''], `--include-namespaces has an empty name in it. ${list}`],
  [['--include-namespaces', 'a,,b'], `--include-namespaces has an empty name in it. ${list}`],
  [['--exclude-resources', 'pods,'], `--exclude-resources has an empty name in it. ${list}`],
  [
    ['--include-namespaces', '*,a'],
    "Invalid included/excluded namespace lists: includes list must either contain '*' only, or a non-empty list of items",
  ],
  [['--exclude-namespaces', '*'], "Invalid included/excluded namespace lists: excludes list cannot contain '*'"],
  [
    ['--include-namespaces', 'a', '--exclude-namespaces', 'a'],
    'Invalid included/excluded namespace lists: excludes list cannot contain an item in the includes list: a',
  ],
  [
    ['--include-resources', 'pods', '--exclude-resources', 'pods'],
    'Invalid included/excluded resource lists: excludes list cannot contain an item in the includes list: pods',
  ],
  [['--include-resources', 'pods', '--include-cluster-scoped-resources', 'nodes'], oldAndNew],
  [['--include-cluster-resources', '--exclude-namespace-scoped-resources', 'pods'], oldAndNew],
  [['--include-cluster-resources=maybe'], '--include-cluster-resources "maybe" is not true or false'],
  [['--snapshot-volumes=2'], '--snapshot-volumes "2" is not true or false'],
  [['--selector', ''], 'flag must have a non-empty value: --selector'],
  [['--selector', 'a='.repeat(3)], `--selector: "a=a=a=" is not a label selector: ${form}`],
  [['--selector', 'a in b'], `--selector: "a in b" is not a label selector: ${form}`],
  [['--selector', 'a b=c'], `--selector: "a b=c" is not a label selector: ${form}`],
  [['--selector', 'A_/x=b'], '--selector: "A_/x=b" is not a label selector: "A_/x" is not a valid label key'],
  [
    ['--selector', `a=${'v'.repeat(64)}`],
    `--selector: "a=${'v'.repeat(64)}" is not a label selector: "${'v'.repeat(64)}" is not a valid label value`,
  ],
  [['--or-selector', 'a=b or '], 'flag must have a non-empty value: --or-selector'],
  [['--or-selector', 'a=b or c in d'], `--or-selector: "c in d" is not a label selector: ${form}`],
  [
    ['--selector', 'a=b', '--or-selector', 'c=d'],
    "either a 'selector' or an 'or-selector' can be specified, but not both",
  ],
  [['--labels', 'a'], `--labels: "a" is not of the form key=value. ${pairs}`],
  [['--labels', 'a b=c'], '--labels: "a b" is not a label key'],
  [['--labels', 'a=b c'], '--labels: "b c" is not a label value'],
  [['--annotations', '-=c'], '--annotations: "-" is not an annotation key'],
  [['--ttl', '3d'], `--ttl "3d" is not a duration. ${period}`],
  [['--ttl', ''], `--ttl "" is not a duration. ${period}`],
  [['--ttl=-1h'], '--ttl must be non-negative'],
  [['--ttl', '99999999999h'], '--ttl "99999999999h" is longer than 292 years'],
  [['--csi-snapshot-timeout', '10'], `--csi-snapshot-timeout "10" is not a duration. ${period}`],
  [['--item-operation-timeout', 'long'], `--item-operation-timeout "long" is not a duration. ${period}`],
  [['--storage-location', 'De_fault'], `invalid name "De_fault". ${nameRule}`],
  [['--storage-location', 'none'], 'backupstoragelocations.velero.io "none" not found'],
  [['--volume-snapshot-locations', 'none'], 'volumesnapshotlocations.velero.io "none" not found'],
  [['--volume-snapshot-locations', 'a,'], `--volume-snapshot-locations has an empty name in it. ${list}`],
  [['--ordered-resources', 'pods'], `invalid OrderedResources 'pods'. ${ordered}`],
  [['--ordered-resources', 'pods=a;pods=b'], `invalid OrderedResources 'pods=b'. ${ordered}`],
  [['--ordered-resources', 'pods=a;'], `invalid OrderedResources ''. ${ordered}`],
  [['--ordered-resources', '=a'], `invalid OrderedResources '=a'. ${ordered}`],
  [['--ordered-resources', 'a=b=c'], `invalid OrderedResources 'a=b=c'. ${ordered}`],
  [['--resource-policies-configmap', 'a/b'], '--resource-policies-configmap: "a/b" is not the name of a ConfigMap'],
  [['--parallel-files-upload=-1'], 'parallel-files-upload cannot be negative'],
  [['--backup-type', 'differential'], '--backup-type: "differential" is neither Full nor Incremental'],
  [['--parallel-files-upload', 'many'], '--parallel-files-upload "many" is not a number of files'],
  [['--parallel-files-upload', '1.5'], '--parallel-files-upload "1.5" is not a number of files'],
  [['--volume-group-snapshot-label-key', 'a b'], '--volume-group-snapshot-label-key: "a b" is not a label key'],
  [['-o', 'xml'], '--output "xml" is not a format. Use one of table, wide, json, yaml, name.'],
];

const others: [string[], string][] = [
  [['backup', 'create'], 'a backup name is required, unless you are creating based on a schedule'],
  [['backup', 'create', 'New'], `invalid name "New". ${nameRule}`],
  [['backup', 'create', '../x'], `invalid name "../x". ${nameRule}`],
  [['backup', 'create', 'x\u001b[2J'], `invalid name "x\\u001b[2J". ${nameRule}`],
  [['backup', 'create', 'there'], 'backups.velero.io "there" already exists'],
  [['backup', 'create', '--from-schedule', ''], 'flag must have a non-empty value: --from-schedule'],
  [['backup', 'create', '--from-schedule', 'none'], 'schedules.velero.io "none" not found'],
  [create('--wait', '-o', 'yaml'), '--wait cannot be given with --output, which only prints the backup'],
  [create('--exit-code'), '--exit-code tells how the backup has ended, which needs --wait'],
  [
    ['backup', 'get', 'there', '-l', 'a=b'],
    'names of backups and --selector cannot be combined. Give names or --selector, not both.',
  ],
  [['backup', 'get', 'none'], 'backups.velero.io "none" not found'],
  [describing('-o', 'yaml'), "invalid output format 'yaml'. valid value are 'plaintext, json'"],
  [
    describing('--outcome', 'Lost'),
    '--outcome "Lost" is not an outcome. Use one of BackedUp, Warning, Failed, Skipped.',
  ],
  [describing('--outcome', ','), `--outcome has an empty name in it. ${list}`],
  [describing('--timeout', 'soon'), `--timeout "soon" is not a duration. ${period}`],
  [describing('--cacert', '/none.pem'), '--cacert "/none.pem": there is no such file'],
  [['backup', 'describe', 'none'], 'backups.velero.io "none" not found'],
  [['backup', 'delete', '--confirm'], exactlyOne('backup')],
  [['backup', 'delete', 'there', '--all', '--confirm'], exactlyOne('backup')],
  [['backup', 'delete', '-l', ' ', '--confirm'], 'flag must have a non-empty value: --selector'],
  [
    ['backup', 'delete', 'there'],
    'deleting needs a confirmation, and there is no terminal to ask for it. Give --confirm to run without a question.',
  ],
  [
    ['backup', 'delete', 'none', 'there', 'nil', '--confirm'],
    '[backups.velero.io "none" not found, backups.velero.io "nil" not found]',
  ],
  [['backup', 'cancel'], exactlyOne('backup')],
  [['backup', 'cancel', 'none', '--confirm'], 'backups.velero.io "none" not found'],
  [['schedule', 'create', 'new'], '--schedule is required'],
  [['schedule', 'create', 'new', '--schedule', ' '], '--schedule is required'],
  [['schedule', 'create', 'New', '--schedule', '@daily'], `invalid name "New". ${nameRule}`],
  [['schedule', 'create', 'nightly', '--schedule', '@daily'], 'schedules.velero.io "nightly" already exists'],
  [
    ['schedule', 'create', 'n'.repeat(240), '--schedule', '@daily'],
    'the name is longer than 238 characters: its Backups could have no name',
  ],
  [schedule('--keep-at-least', '0'), '--keep-at-least "0" is not a number of backups. Write a number from 1.'],
  [schedule('--keep-at-least', 'all'), '--keep-at-least "all" is not a number of backups. Write a number from 1.'],
  [schedule('--jitter', 'some'), `--jitter "some" is not a duration. ${period}`],
  [
    schedule('--jitter', '25h'),
    '--jitter is longer than a day. A longer jitter would move backups to another day; write at most 24h.',
  ],
  [schedule('--paused=2'), '--paused "2" is not true or false'],
  [
    ['schedule', 'get', 'nightly', '-l', 'a=b'],
    'names of schedules and --selector cannot be combined. Give names or --selector, not both.',
  ],
  [['schedule', 'describe', 'none'], 'schedules.velero.io "none" not found'],
  [['schedule', 'delete', '--confirm'], exactlyOne('schedule')],
  [['schedule', 'pause'], exactlyOne('schedule')],
  [['schedule', 'unpause', 'nightly', '--all'], exactlyOne('schedule')],
  [['schedule', 'pause', 'none'], 'schedules.velero.io "none" not found'],
];

describe('invalid input of lateen backup and lateen schedule', () => {
  it.each([...spec.map(([words, text]): [string[], string] => [create(...words), text]), ...others])(
    '%j: %s',
    async (words, message) => {
      const { code, stdout, stderr, written } = await run(words);
      const isTaken = message.endsWith('already exists');
      expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: `An error occurred: ${message}\n` });
      expect(written).toEqual(isTaken ? ['create'] : []);
    },
  );

  it.each(spec)('schedule create %j: %s', async (words, message) => {
    const { code, stdout, stderr, written } = await run(schedule(...words));
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: `An error occurred: ${message}\n` });
    expect(written).toEqual([]);
  });

  it.each(['61 * * * *', '* * * *', 'every day', '@every', 'TZ=Nowhere/None @daily', '0 0 30 2 *'])(
    'schedule create --schedule %j is rejected by the server\u2019s rules',
    async (text) => {
      const { code, stderr, written } = await run(['schedule', 'create', 'new', '--schedule', text]);
      expect([code, written]).toEqual([1, []]);
      expect(stderr).toMatch(/^An error occurred: invalid schedule: /);
    },
  );

  it.each<[string[], string]>([
    [create('second'), "error: too many arguments for 'create'. Expected 1 argument but got 2: new, second.\n"],
    [
      create('--include-namespace', 'a'),
      "error: unknown option '--include-namespace'\n(Did you mean --include-namespaces?)\n",
    ],
    [create('--ttl'), "error: option '--ttl <duration>' argument missing\n"],
    [['backup', 'cancle'], "error: unknown command 'cancle'\n(Did you mean cancel?)\n"],
    [['schedule', 'create'], "error: missing required argument 'name'\n"],
  ])('%j: %s', async (words, message) => {
    expect(await run(words)).toMatchObject({ code: 1, stdout: '', stderr: message, written: [] });
  });
});
