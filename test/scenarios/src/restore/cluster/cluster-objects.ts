import type { KubeObject } from '@lateen/api-types';
import type { GeneratedObjects } from './generated-objects.ts';
import { addVolume } from './namespace-objects.ts';

/** @returns names of StorageClasses and PriorityClasses */
export function addClasses(objects: GeneratedObjects): { storage: string[]; priority: string[] } {
  const storage = ['fast', 'slow'];
  for (const name of storage) {
    const fields = { provisioner: 'csi.example.com', reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' };
    objects.add('storage.k8s.io/v1', 'StorageClass', { name, metadata: { finalizers: [] } }, fields);
  }
  const priority: string[] = [];
  objects.several(1, (at) => {
    priority.push(`important-${at}`);
    objects.add('scheduling.k8s.io/v1', 'PriorityClass', { name: `important-${at}` }, { value: 1_000 });
  });
  return { storage, priority };
}

/** Cluster-wide RBAC objects, webhooks and API services that run in the cluster. */
export function addClusterWide(objects: GeneratedObjects, namespaces: readonly string[]): void {
  const { dice } = objects;
  objects.several(2, (at) => {
    const name = `reader-${at}`;
    const rbac = 'rbac.authorization.k8s.io';
    objects.add(
      `${rbac}/v1`,
      'ClusterRole',
      { name },
      { rules: [{ apiGroups: [''], resources: ['*'], verbs: ['list'] }] },
    );
    const subjects = [{ kind: 'ServiceAccount', name: 'default', namespace: dice.pick(namespaces) }];
    const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name };
    objects.add(`${rbac}/v1`, 'ClusterRoleBinding', { name }, { subjects, roleRef });
  });
  const service = { namespace: dice.pick(namespaces), name: 'service-0' };
  if (dice.chance(0.3)) {
    const kind = dice.pick(['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']);
    const rules = [{ apiGroups: ['gears.example.com'], apiVersions: ['v1'], resources: ['*'], operations: ['CREATE'] }];
    const hook = {
      name: 'check.example.com',
      clientConfig: { service },
      rules,
      sideEffects: 'None',
      failurePolicy: 'Ignore',
    };
    objects.add('admissionregistration.k8s.io/v1', kind, { name: 'check' }, { webhooks: [hook] });
  }
  if (dice.chance(0.2)) {
    const spec = {
      group: 'metrics.example.com',
      version: 'v1',
      service,
      groupPriorityMinimum: 100,
      versionPriority: 100,
    };
    objects.add('apiregistration.k8s.io/v1', 'APIService', { name: 'v1.metrics.example.com' }, { spec });
  }
}

/** Custom resource definitions and their objects, some of which own pods and claims. */
export function addCustom(objects: GeneratedObjects, namespaces: readonly string[], classes: readonly string[]): void {
  const { dice } = objects;
  for (const kind of ['Gear', 'Wheel', 'Engine'].filter(() => dice.chance(0.5))) {
    const namespaced = kind !== 'Wheel';
    const plural = `${kind.toLowerCase()}s`;
    addDefinition(objects, kind, plural, namespaced);
    const places = namespaced ? namespaces : [undefined];
    for (const namespace of places) {
      objects.several(2, (at) => {
        const after = dice.chance(0.2) ? { annotations: { 'lateen.dev/restore-after': 'configmaps' } } : {};
        // Numbers that a conversion to double would change.
        const spec = JSON.parse('{"teeth":9007199254740993,"ratio":1.50}', keepNumber) as object;
        const made = objects.add(
          'machines.example.com/v1',
          kind,
          { name: `${kind.toLowerCase()}-${at}`, metadata: after, ...(namespace === undefined ? {} : { namespace }) },
          { spec, status: { turning: true } },
        );
        if (namespace !== undefined && dice.chance(0.4)) addOwned(objects, namespace, made, dice.pick(classes));
      });
    }
  }
}

function addDefinition(objects: GeneratedObjects, kind: string, plural: string, namespaced: boolean): void {
  const subresources = objects.dice.chance(0.5) ? { subresources: { status: {} } } : {};
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const names = { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() };
  objects.add(
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    { name: `${plural}.machines.example.com`, metadata: { finalizers: [] } },
    {
      spec: {
        group: 'machines.example.com',
        scope: namespaced ? 'Namespaced' : 'Cluster',
        names,
        versions: [{ name: 'v1', served: true, storage: true, schema, ...subresources }],
      },
      status: {
        conditions: [{ type: 'Established', status: 'True' }],
        acceptedNames: names,
        storedVersions: ['v1'],
      },
    },
  );
}

/** Objects with an owner, as an operator creates them: without the owner they would be taken for objects of others, or fail. */
function addOwned(objects: GeneratedObjects, namespace: string, owner: KubeObject, storageClass: string): void {
  const { name } = owner.metadata;
  const spec = {
    containers: [{ name: 'main', image: 'example.com/machine' }],
    serviceAccountName: 'default',
    serviceAccount: 'default',
    priority: 0,
  };
  objects.add('v1', 'Pod', { namespace, name: `${name}-pod`, owner }, { spec, status: { phase: 'Running' } });
  addVolume(objects, namespace, `${name}-data`, storageClass);
}

/** The text of a number is kept, because a conversion to double would change it. */
function keepNumber(this: unknown, _key: string, value: unknown, context?: { source?: string }): unknown {
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
  const source = context?.source;
  return typeof value === 'number' && source !== undefined && String(value) !== source ? rawJSON(source) : value;
}
