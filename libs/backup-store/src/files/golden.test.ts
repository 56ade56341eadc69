import { describe, expect, it } from 'vitest';
import { type BackupOperation, backupOperationsFile, restoreOperationsFile } from './item-operations.ts';
import { nativeSnapshotsFile } from './native-snapshots.ts';
import { resourceListFile, resourceListText } from './resource-list.ts';
import { resultsFile } from './results.ts';
import { objectsFile } from './stored-objects.ts';
import { type BackupVolumeInfo, restoreVolumeInfoFile, volumeInfoFile } from './volume-info.ts';

const moved: BackupVolumeInfo = {
  pvcName: 'data',
  pvcNamespace: 'app1',
  pvName: 'pvc-1',
  backupMethod: 'CSISnapshot',
  snapshotDataMoved: true,
  preserveLocalSnapshot: false,
  skipped: false,
  result: 'succeeded',
  csiSnapshotInfo: {
    snapshotHandle: 'unknown',
    size: 0,
    driver: 'd',
    vscName: 'unknown',
    operationID: 'unknown',
    ReadyToUse: null,
  },
  snapshotDataMovementInfo: {
    dataMover: 'velero',
    uploaderType: 'kopia',
    retainedSnapshot: 'velero-data-x',
    snapshotHandle: '<kopia manifest id>',
    operationID: 'du-…',
    size: 1,
    incrementalSize: 1,
    Phase: 'Completed',
  },
  pvInfo: { reclaimPolicy: 'Delete', labels: null },
};

/** The worked example of object-store-layout.md section 12, on one line and with Go's escapes. */
const movedText =
  '[{"pvcName":"data","pvcNamespace":"app1","pvName":"pvc-1","backupMethod":"CSISnapshot","snapshotDataMoved":true,' +
  '"preserveLocalSnapshot":false,"skipped":false,"result":"succeeded",' +
  '"csiSnapshotInfo":{"snapshotHandle":"unknown","size":0,"driver":"d","vscName":"unknown","operationID":"unknown","ReadyToUse":null},' +
  '"snapshotDataMovementInfo":{"dataMover":"velero","uploaderType":"kopia","retainedSnapshot":"velero-data-x",' +
  '"snapshotHandle":"\\u003ckopia manifest id\\u003e","operationID":"du-…","size":1,"incrementalSize":1,"Phase":"Completed"},' +
  '"pvInfo":{"reclaimPolicy":"Delete","labels":null}}]\n';

const operation: BackupOperation = {
  spec: {
    backupName: 'b1',
    backupUID: 'u1',
    backupItemAction: 'velero.io/csi-pvc-backupper',
    resourceIdentifier: { Group: '', Resource: 'persistentvolumeclaims', Namespace: 'ns', Name: 'x' },
    operationID: 'du-u1.u2',
    postOperationItems: null,
  },
  status: { phase: 'New', created: '2026-01-02T03:04:05Z' },
};
const operationText =
  '[{"spec":{"backupName":"b1","backupUID":"u1","backupItemAction":"velero.io/csi-pvc-backupper",' +
  '"resourceIdentifier":{"Group":"","Resource":"persistentvolumeclaims","Namespace":"ns","Name":"x"},' +
  '"operationID":"du-u1.u2","postOperationItems":null},"status":{"phase":"New","created":"2026-01-02T03:04:05Z"}}]\n';

/** A file of one kind, with the type of its value hidden. */
const row = <T>(what: string, file: { text(value: T): string; parse(text: string): T }, value: T, text: string) =>
  ({ what, write: () => file.text(value), read: () => file.parse(text), value, text }) as const;

const rows = [
  row('no volumes', volumeInfoFile, [], 'null\n'),
  row('no operations', backupOperationsFile, [], 'null\n'),
  row('no operations of a restore', restoreOperationsFile, [], 'null\n'),
  row('no native snapshots', nativeSnapshotsFile, [], 'null\n'),
  row('no objects', objectsFile('x'), [], 'null\n'),
  row('no resources', resourceListFile, {}, '{}\n'),
  row('nothing to tell', resultsFile, { errors: {}, warnings: {} }, '{"errors":{},"warnings":{}}\n'),
  row('a volume whose data was moved', volumeInfoFile, [moved], movedText),
  row(
    'a volume that was skipped',
    volumeInfoFile,
    [
      {
        pvName: 'p',
        snapshotDataMoved: false,
        preserveLocalSnapshot: false,
        skipped: true,
        skippedReason: 'any: a & b;',
      },
    ],
    '[{"pvName":"p","snapshotDataMoved":false,"preserveLocalSnapshot":false,"skipped":true,"skippedReason":"any: a \\u0026 b;"}]\n',
  ),
  row(
    'native and pod volumes, labels in order',
    volumeInfoFile,
    [
      {
        backupMethod: 'NativeSnapshot',
        snapshotDataMoved: false,
        preserveLocalSnapshot: true,
        skipped: false,
        nativeSnapshotInfo: { snapshotHandle: 's', volumeType: 'gp3', volumeAZ: 'a', iops: '100', Phase: 'Completed' },
        pvbInfo: { size: 5, uploaderType: 'kopia', volumeName: 'v', podName: 'p', podNamespace: 'n', Phase: 'New' },
        pvInfo: { reclaimPolicy: 'Retain', labels: { a: '2', b: '1' } },
      },
    ],
    '[{"backupMethod":"NativeSnapshot","snapshotDataMoved":false,"preserveLocalSnapshot":true,"skipped":false,' +
      '"nativeSnapshotInfo":{"snapshotHandle":"s","volumeType":"gp3","volumeAZ":"a","iops":"100","Phase":"Completed"},' +
      '"pvbInfo":{"size":5,"uploaderType":"kopia","volumeName":"v","podName":"p","podNamespace":"n","Phase":"New"},' +
      '"pvInfo":{"reclaimPolicy":"Retain","labels":{"a":"2","b":"1"}}}]\n',
  ),
  row('an operation', backupOperationsFile, [operation], operationText),
  row(
    'an operation of a restore',
    restoreOperationsFile,
    [
      {
        spec: {
          restoreName: 'r',
          restoreUID: 'u',
          restoreItemAction: 'velero.io/csi-pvc-restorer',
          resourceIdentifier: { Group: 'g', Resource: 'r', Namespace: '', Name: 'n' },
          operationID: 'dd-1',
        },
        status: { phase: 'Failed', error: 'a\u2028b', nCompleted: 1, nTotal: 2, operationUnits: 'Bytes' },
      },
    ],
    '[{"spec":{"restoreName":"r","restoreUID":"u","restoreItemAction":"velero.io/csi-pvc-restorer",' +
      '"resourceIdentifier":{"Group":"g","Resource":"r","Namespace":"","Name":"n"},"operationID":"dd-1"},' +
      '"status":{"phase":"Failed","error":"a\\u2028b","nCompleted":1,"nTotal":2,"operationUnits":"Bytes"}}]\n',
  ),
  row(
    'a restored volume',
    restoreVolumeInfoFile,
    [{ pvcName: 'p', restoreMethod: 'PodVolumeRestore', snapshotDataMoved: false }],
    '[{"pvcName":"p","restoreMethod":"PodVolumeRestore","snapshotDataMoved":false}]\n',
  ),
  row(
    'a native snapshot',
    nativeSnapshotsFile,
    [
      {
        spec: {
          backupName: 'b',
          backupUID: 'u',
          location: 'default',
          persistentVolumeName: 'pv',
          providerVolumeID: 'vol-1',
          volumeType: 'gp3',
          volumeIOPS: 0,
        },
        status: { phase: 'Completed' },
      },
    ],
    '[{"spec":{"backupName":"b","backupUID":"u","location":"default","persistentVolumeName":"pv","providerVolumeID":"vol-1",' +
      '"volumeType":"gp3","volumeIOPS":0},"status":{"phase":"Completed"}}]\n',
  ),
  row(
    'results',
    resultsFile,
    {
      errors: { velero: [' message: /a'], namespaces: { a: ['x'], b: ['<y>'] } },
      warnings: { cluster: [' resource: /pods name: /p message: /m error: /e'] },
    },
    '{"errors":{"velero":[" message: /a"],"namespaces":{"a":["x"],"b":["\\u003cy\\u003e"]}},' +
      '"warnings":{"cluster":[" resource: /pods name: /p message: /m error: /e"]}}\n',
  ),
  row(
    'a resource list',
    resourceListFile,
    { 'apps/v1/Deployment': ['ns/web'], 'v1/Pod': ['ns/a', 'ns/b'] },
    '{"apps/v1/Deployment":["ns/web"],"v1/Pod":["ns/a","ns/b"]}\n',
  ),
];

describe('the files of a backup', () => {
  it.each(rows)('contain $what in the same bytes as written by Go', ({ write, text, read, value }) => {
    expect(write()).toBe(text);
    expect(read()).toEqual(value);
  });

  it('have keys in the order of Velero and omit the same fields, for any input order', () => {
    const { spec, status } = operation;
    const { postOperationItems, ...others } = spec;
    const mixed = { status: { ...status, error: '', nTotal: 0 }, spec: { postOperationItems: [], ...others } };
    expect(postOperationItems).toBeNull();
    expect(backupOperationsFile.text([mixed])).toBe(operationText);
  });

  it('sort the keys of maps by their bytes', () => {
    const labels = { ü: '1', b: '2', B: '3', '\u{1f6a2}': '4' };
    const text = volumeInfoFile.text([{ ...moved, pvInfo: { reclaimPolicy: '', labels } }]);
    expect(text).toContain('"labels":{"B":"3","b":"2","ü":"1","\u{1f6a2}":"4"}');
  });

  it('are the same when a resource list is written in chunks', async () => {
    const places = Array.from({ length: 20_000 }, (_, index) => `ns/p${index}`);
    const list = { 'apps/v1/Deployment': ['ns/<web>'], 'v1/Node': [], 'v1/Pod': places };
    const pieces = await Array.fromAsync(resourceListText(Object.entries(list)));
    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.join('') === resourceListFile.text(list)).toBe(true);
    expect((await Array.fromAsync(resourceListText([]))).join('')).toBe('{}\n');
  });
});

describe('files of other writers', () => {
  it('are read with keys in any case', () => {
    const text = operationText
      .replace('"Group"', '"group"')
      .replace('"Resource"', '"RESOURCE"')
      .replace('"spec"', '"Spec"');
    expect(backupOperationsFile.parse(text)).toEqual([operation]);
    const info = movedText.replace('"ReadyToUse":null', '"readyToUse":true').replace('"Phase"', '"phase"');
    expect(volumeInfoFile.parse(info)[0]).toMatchObject({
      csiSnapshotInfo: { ReadyToUse: true },
      snapshotDataMovementInfo: { Phase: 'Completed' },
    });
  });

  it('keep unknown fields, with numbers as written, after the others', () => {
    const newer = operationText.replace('"status":{', '"parentSnapshot":{"big":9007199254740993,"one":1.0},"status":{');
    const stored = backupOperationsFile.text(backupOperationsFile.parse(newer));
    expect(stored).toBe(operationText.replace('}}]\n', '},"parentSnapshot":{"big":9007199254740993,"one":1.0}}]\n'));
  });

  it('have null or nothing where Go has a zero value', () => {
    expect(backupOperationsFile.parse('[{"spec":{"resourceIdentifier":null}}]')).toEqual([
      {
        spec: {
          backupName: '',
          backupUID: '',
          backupItemAction: '',
          operationID: '',
          resourceIdentifier: { Group: '', Resource: '', Namespace: '', Name: '' },
          postOperationItems: null,
        },
        status: {},
      },
    ]);
    expect(resultsFile.parse('null')).toEqual({ errors: {}, warnings: {} });
    expect(resultsFile.parse('{"errors":null,"warnings":{"namespaces":{"a":null}}}')).toEqual({
      errors: {},
      warnings: { namespaces: { a: null } },
    });
    expect(resourceListFile.parse('null')).toEqual({});
  });

  it.each<[string, string, string]>([
    ['no JSON', '{', 'the volume info is not JSON'],
    ['no list', '{}', 'the volume info is not a list'],
    ['an entry that is no object', '[1]', 'the volume info[0] is not an object'],
    [
      'a text for a number',
      '[{"csiSnapshotInfo":{"size":"5"}}]',
      'the volume info[0].csiSnapshotInfo.size is not a number',
    ],
    ['a number for a text', '[{"pvName":5}]', 'the volume info[0].pvName is not a text'],
    ['a list for a map', '[{"pvInfo":{"labels":[]}}]', 'the volume info[0].pvInfo.labels is not a map'],
    ['brackets without end', '['.repeat(100_000), 'the volume info is nested more than 200 levels deep'],
  ])('are rejected when they have %s', (_, text, message) => {
    expect(() => volumeInfoFile.parse(text)).toThrow(expect.objectContaining({ code: 'BACKUP_FILE_BROKEN', message }));
  });

  it('may have keys that JavaScript objects also have', () => {
    const text = '[{"__proto__":{"x":1},"constructor":"y","pvName":"p"}]';
    const [volume] = volumeInfoFile.parse(text);
    expect(Object.getPrototypeOf(volume)).toBe(Object.prototype);
    expect(volumeInfoFile.text([volume as BackupVolumeInfo])).toBe(
      '[{"pvName":"p","snapshotDataMoved":false,"preserveLocalSnapshot":false,"skipped":false,"__proto__":{"x":1},"constructor":"y"}]\n',
    );
  });

  it('keep objects of the API unchanged', () => {
    const file = objectsFile('the pod volume backups');
    const text = '[{"kind":"PodVolumeBackup","metadata":{"name":"p","x":{"y":1.50}},"spec":{"<":"\\u003e"}}]\n';
    expect(file.text(file.parse(text))).toBe(text.replace('"<"', '"\\u003c"'));
    expect(() => file.parse('[{"kind":"x"}]')).toThrow('the pod volume backups[0] is not an object with metadata');
  });
});
