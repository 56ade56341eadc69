import type { KubeObject, ObjectKey, ResourceType, Unstructured } from '@lateen/kube';
import { causesOf } from '@lateen/kube';
import { describe, expect, it } from 'vitest';
import type { ConformanceSubject } from './conformance-subject.ts';

const typed = (group: string, kind: string, resource: string, namespaced = true): ResourceType<Unstructured> => ({
  group,
  version: 'v1',
  kind,
  resource,
  namespaced,
});

const labels = { app: 'a' };
const template = {
  metadata: { labels },
  spec: { containers: [{ name: 'main', image: 'example.com/main:1' }] },
};
const jobTemplate = { spec: { ...template.spec, restartPolicy: 'Never' } };
const rbac = 'rbac.authorization.k8s.io';
const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name: 'view' };
const storage = { requests: { storage: '1Gi' } };

interface Row {
  what: string;
  type: ResourceType<Unstructured>;
  object: object;
  /** A merge patch that the server rejects. */
  patch: object;
  field: string;
  reason: string;
  says: string;
}

const forbidden = 'FieldValueForbidden';
const invalid = 'FieldValueInvalid';
const fixed = 'field is immutable';
const sealed = 'field is immutable when `immutable` is set';

const rows: readonly Row[] = [
  {
    what: 'data of a ConfigMap that says so',
    type: typed('', 'ConfigMap', 'configmaps'),
    object: { immutable: true, data: { a: '1' } },
    patch: { data: { a: '2' } },
    ...{ field: 'data', reason: forbidden, says: sealed },
  },
  {
    what: 'data of a Secret that says so',
    type: typed('', 'Secret', 'secrets'),
    object: { immutable: true, data: { a: 'MQ==' } },
    patch: { data: { a: 'Mg==' } },
    ...{ field: 'data', reason: forbidden, says: sealed },
  },
  {
    what: 'the type of a Secret',
    type: typed('', 'Secret', 'secrets'),
    object: { type: 'example.com/one' },
    patch: { type: 'example.com/two' },
    ...{ field: 'type', reason: invalid, says: fixed },
  },
  {
    what: 'the address of a Service',
    type: typed('', 'Service', 'services'),
    object: { spec: { ports: [{ port: 80 }] } },
    patch: { spec: { clusterIP: '10.0.0.9', clusterIPs: ['10.0.0.9'] } },
    ...{ field: 'spec.clusterIPs[0]', reason: invalid, says: 'may not change once set' },
  },
  {
    what: 'the source of a volume',
    type: typed('', 'PersistentVolume', 'persistentvolumes', false),
    object: {
      spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, csi: { driver: 'd', volumeHandle: 'one' } },
    },
    patch: { spec: { csi: { volumeHandle: 'two' } } },
    ...{ field: 'spec.persistentvolumesource', reason: forbidden, says: 'is immutable after creation' },
  },
  {
    what: 'the class of a claim',
    type: typed('', 'PersistentVolumeClaim', 'persistentvolumeclaims'),
    object: { spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'one', resources: storage } },
    patch: { spec: { storageClassName: 'two' } },
    ...{ field: 'spec', reason: forbidden, says: 'spec is immutable after creation except' },
  },
  {
    what: 'the selector of a Deployment',
    type: typed('apps', 'Deployment', 'deployments'),
    object: { spec: { selector: { matchLabels: labels }, template } },
    patch: {
      spec: { selector: { matchLabels: { app: 'b' } }, template: { metadata: { labels: { app: 'b' } } } },
    },
    ...{ field: 'spec.selector', reason: invalid, says: fixed },
  },
  {
    what: 'the service of a StatefulSet',
    type: typed('apps', 'StatefulSet', 'statefulsets'),
    object: { spec: { serviceName: 'one', selector: { matchLabels: labels }, template } },
    patch: { spec: { serviceName: 'two' } },
    ...{ field: 'spec', reason: forbidden, says: 'updates to statefulset spec for fields other than' },
  },
  {
    what: 'the template of a Job',
    type: typed('batch', 'Job', 'jobs'),
    object: { spec: { template: jobTemplate } },
    patch: { spec: { template: { spec: { ...jobTemplate.spec, restartPolicy: 'OnFailure' } } } },
    ...{ field: 'spec.template', reason: invalid, says: fixed },
  },
  {
    what: 'the role of a RoleBinding',
    type: typed(rbac, 'RoleBinding', 'rolebindings'),
    object: { roleRef, subjects: [] },
    patch: { roleRef: { ...roleRef, name: 'edit' } },
    ...{ field: 'roleRef', reason: invalid, says: 'cannot change roleRef' },
  },
  {
    what: 'the provisioner of a StorageClass',
    type: typed('storage.k8s.io', 'StorageClass', 'storageclasses', false),
    object: { provisioner: 'one.example.com' },
    patch: { provisioner: 'two.example.com' },
    ...{ field: 'provisioner', reason: forbidden, says: 'updates to provisioner are forbidden.' },
  },
  {
    what: 'the value of a PriorityClass',
    type: typed('scheduling.k8s.io', 'PriorityClass', 'priorityclasses', false),
    object: { value: 1 },
    patch: { value: 2 },
    ...{ field: 'value', reason: forbidden, says: 'may not be changed in an update.' },
  },
];

export function immutableFieldTests(subject: ConformanceSubject): void {
  describe('immutable fields', () => {
    it.each(rows)(
      '$what: rejected with the name of the field, also in a dry run, and nothing is changed',
      async (row) => {
        const { api, namespace } = subject;
        const { type, object, patch, field, reason, says } = row;
        const apiVersion = type.group === '' ? type.version : `${type.group}/${type.version}`;
        const metadata = { name: subject.name('fixed'), ...(type.namespaced ? { namespace } : {}) };
        const made = await api.create(type, { apiVersion, kind: type.kind, metadata, ...object } as Unstructured);
        const key = metadata as ObjectKey;
        try {
          for (const dryRun of [true, false]) {
            const refused = await api.patch(type, key, { type: 'merge', body: patch }, { dryRun }).then(
              (): unknown => undefined,
              (error: unknown) => error,
            );
            expect(refused).toMatchObject({ code: 'KUBE_INVALID' });
            const causes = causesOf(refused);
            expect(causes.map((cause) => cause.field)).toContain(field);
            expect(causes.find((cause) => cause.field === field)?.reason).toBe(reason);
            expect((refused as Error).message).toContain(says);
          }
          expect(versionOf(await api.get(type, key))).toBe(versionOf(made));
        } finally {
          await api.delete(type, key);
        }
      },
    );

    it('allow a patch of other fields: the data of a ControllerRevision stays the same, byte for byte, with any content', async () => {
      const { api, namespace } = subject;
      const type = typed('apps', 'ControllerRevision', 'controllerrevisions');
      const key = { namespace, name: subject.name('revision') };
      const data = { command: 'a && b < c > d', line: '\u2028' };
      const object = { apiVersion: 'apps/v1', kind: type.kind, metadata: key, revision: 1, data };
      await api.create(type, object as Unstructured);
      try {
        const patched = await api.patch(type, key, { type: 'merge', body: { metadata: { labels } } });
        expect(patched).toMatchObject({ data, metadata: { labels } });
      } finally {
        await api.delete(type, key);
      }
    });
  });
}

const versionOf = ({ metadata }: KubeObject): string | undefined => metadata.resourceVersion;
