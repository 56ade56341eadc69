import type { GeneratedObjects } from './generated-objects.ts';

const rbac = 'rbac.authorization.k8s.io/v1';

/** Objects of a namespace that pods can refer to. */
export interface NamespaceNames {
  readonly namespace: string;
  readonly accounts: readonly string[];
  readonly configMaps: readonly string[];
  readonly secrets: readonly string[];
  readonly claims: readonly string[];
}

/** A namespace with ServiceAccounts, settings, RBAC objects and volumes: what pods need. */
export function addNamespace(objects: GeneratedObjects, namespace: string, classes: readonly string[]): NamespaceNames {
  const { dice } = objects;
  const labels = { 'kubernetes.io/metadata.name': namespace, ...(dice.chance(0.5) ? { team: 'a' } : {}) };
  const spec = { finalizers: ['kubernetes'] };
  objects.add(
    'v1',
    'Namespace',
    { name: namespace, metadata: { labels, finalizers: [] } },
    { spec, status: { phase: 'Active' } },
  );
  const accounts = ['default'];
  const configMaps: string[] = [];
  const secrets: string[] = [];
  objects.add('v1', 'ServiceAccount', { namespace, name: 'default' });
  objects.add(
    'v1',
    'ConfigMap',
    { namespace, name: 'kube-root-ca.crt' },
    { data: { 'ca.crt': 'another authority\n' } },
  );
  objects.several(2, (at) => {
    const name = `robot-${at}`;
    const pull = dice.chance(0.3) ? { imagePullSecrets: [{ name: 'secret-0' }] } : {};
    objects.add('v1', 'ServiceAccount', { namespace, name }, { secrets: [{ name: `${name}-token` }], ...pull });
    accounts.push(name);
  });
  objects.several(4, (at) => {
    const immutable = dice.chance(0.2) ? { immutable: true } : {};
    configMaps.push(`config-${at}`);
    objects.add(
      'v1',
      'ConfigMap',
      { namespace, name: `config-${at}` },
      { data: { v: `${dice.between(0, 9)}` }, ...immutable },
    );
  });
  objects.several(3, (at) => {
    secrets.push(`secret-${at}`);
    const type = dice.pick(['Opaque', 'kubernetes.io/tls', 'example.com/own']);
    objects.add('v1', 'Secret', { namespace, name: `secret-${at}` }, { type, data: { v: 'aHVudGVyMg==' } });
  });
  addRights(objects, namespace, accounts);
  addRules(objects, namespace);
  const claims: string[] = [];
  objects.several(3, (at) => {
    claims.push(`claim-${at}`);
    addVolume(objects, namespace, `claim-${at}`, dice.pick(classes));
  });
  return { namespace, accounts, configMaps, secrets, claims };
}

function addRights(objects: GeneratedObjects, namespace: string, accounts: readonly string[]): void {
  const { dice } = objects;
  objects.several(2, (at) => {
    const name = `Role:${at}`;
    objects.add(
      rbac,
      'Role',
      { namespace, name },
      { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
    );
    if (dice.chance(0.7)) {
      const subjects = [{ kind: 'ServiceAccount', name: dice.pick(accounts), namespace }];
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name };
      objects.add(rbac, 'RoleBinding', { namespace, name: `binding-${at}` }, { subjects, roleRef });
    }
  });
}

function addRules(objects: GeneratedObjects, namespace: string): void {
  const { dice } = objects;
  if (dice.chance(0.2)) {
    const limits = [{ type: 'Container', default: { cpu: '1' } }];
    objects.add('v1', 'LimitRange', { namespace, name: 'limits' }, { spec: { limits } });
  }
  if (dice.chance(0.2)) {
    // Large enough for all objects.
    const hard = { 'count/configmaps': '50' };
    objects.add(
      'v1',
      'ResourceQuota',
      { namespace, name: 'quota' },
      { spec: { hard }, status: { hard, used: { 'count/configmaps': '4' } } },
    );
  }
  if (dice.chance(0.3)) {
    const spec = { podSelector: {}, policyTypes: ['Ingress'] };
    objects.add('networking.k8s.io/v1', 'NetworkPolicy', { namespace, name: 'closed' }, { spec });
  }
  if (dice.chance(0.3)) {
    const spec = { minAvailable: 1, selector: { matchLabels: { app: 'shop' } } };
    objects.add(
      'policy/v1',
      'PodDisruptionBudget',
      { namespace, name: 'budget' },
      { spec, status: { currentHealthy: 1 } },
    );
  }
}

/** A claim, and its volume if it is bound. */
export function addVolume(objects: GeneratedObjects, namespace: string, name: string, storageClassName: string): void {
  const { dice } = objects;
  const isBound = dice.chance(0.8);
  const volumeName = `pvc-${dice.random.uuid()}`;
  const resources = { requests: { storage: '1Gi' } };
  const binding = isBound ? { volumeName } : {};
  const common = { accessModes: ['ReadWriteOnce'], storageClassName, volumeMode: 'Filesystem' };
  const claim = objects.add(
    'v1',
    'PersistentVolumeClaim',
    {
      namespace,
      name,
      metadata: {
        annotations: { 'pv.kubernetes.io/bind-completed': 'yes', 'volume.kubernetes.io/selected-node': 'node-1' },
        finalizers: ['kubernetes.io/pvc-protection'],
      },
    },
    { spec: { ...common, resources, ...binding }, status: { phase: isBound ? 'Bound' : 'Pending' } },
  );
  if (!isBound) return;
  const { uid } = claim.metadata;
  const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid, resourceVersion: '7' };
  objects.add(
    'v1',
    'PersistentVolume',
    { name: volumeName, metadata: { finalizers: ['kubernetes.io/pv-protection'] } },
    {
      spec: {
        ...common,
        capacity: { storage: '1Gi' },
        persistentVolumeReclaimPolicy: dice.pick(['Delete', 'Retain']),
        claimRef,
        csi: { driver: 'csi.example.com', volumeHandle: volumeName },
      },
      status: { phase: 'Bound' },
    },
  );
}
