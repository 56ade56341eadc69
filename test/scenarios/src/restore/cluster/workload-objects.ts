import type { KubeObject } from '@lateen/api-types';
import type { GeneratedObjects } from './generated-objects.ts';
import type { NamespaceNames } from './namespace-objects.ts';

/** Pods with and without controllers, Jobs, Services: everything that runs in a namespace. */
export function addWorkloads(
  objects: GeneratedObjects,
  names: NamespaceNames,
  priorityClasses: readonly string[],
): void {
  const { dice } = objects;
  const { namespace } = names;
  const podSpec = () => podSpecOf(objects, names, priorityClasses);
  objects.several(3, (at) => addPod(objects, namespace, `pod-${at}`, podSpec()));
  objects.several(2, (at) => addDeployment(objects, namespace, `deployment-${at}`, podSpec));
  objects.several(1, (at) => addStatefulSet(objects, namespace, `set-${at}`, podSpec));
  objects.several(2, (at) => addJob(objects, namespace, `job-${at}`, podSpec));
  if (dice.chance(0.3)) {
    const name = 'agent';
    const template = { metadata: { labels: { name } }, spec: bare(podSpec()) };
    objects.add(
      'apps/v1',
      'DaemonSet',
      { namespace, name },
      { spec: { selector: { matchLabels: { name } }, template } },
    );
  }
  objects.several(3, (at) => addService(objects, namespace, `service-${at}`));
  if (dice.chance(0.3)) {
    const spec = { rules: [{ host: `${namespace}.example.com` }] };
    const status = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } };
    objects.add('networking.k8s.io/v1', 'Ingress', { namespace, name: 'front' }, { spec, status });
  }
  if (dice.chance(0.3)) {
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'deployment-0' };
    objects.add(
      'autoscaling/v2',
      'HorizontalPodAutoscaler',
      { namespace, name: 'scale' },
      { spec: { scaleTargetRef, maxReplicas: 3 } },
    );
  }
}

type PodSpec = Record<string, unknown>;

function podSpecOf(objects: GeneratedObjects, names: NamespaceNames, priorityClasses: readonly string[]): PodSpec {
  const { dice } = objects;
  const account = dice.pick(names.accounts);
  const some = (from: readonly string[]): readonly string[] => (dice.chance(0.5) ? from.slice(0, 1) : []);
  const volumes = [
    ...some(names.claims).map((claimName) => ({ name: `v-${claimName}`, persistentVolumeClaim: { claimName } })),
    ...some(names.configMaps).map((name) => ({ name: `v-${name}`, configMap: { name } })),
    ...some(names.secrets).map((secretName) => ({ name: `v-${secretName}`, secret: { secretName } })),
    {
      name: 'kube-api-access-abcde',
      projected: { sources: [{ serviceAccountToken: { path: 'token' } }, { configMap: { name: 'kube-root-ca.crt' } }] },
    },
  ];
  const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: `/mnt/${name}` }));
  const withClass = priorityClasses.length > 0 && dice.chance(0.3);
  const priorityClassName = withClass ? dice.pick(priorityClasses) : undefined;
  return {
    containers: [{ name: 'main', image: `example.com/main:${dice.between(1, 3)}`, volumeMounts }],
    volumes,
    serviceAccountName: account,
    serviceAccount: account,
    ...(priorityClassName === undefined ? { priority: 0 } : { priorityClassName, priority: 1_000 }),
    nodeName: 'node-1',
  };
}

/** A pod template: without fields that only a pod on a node has. */
const bare = ({ nodeName: _, priority: __, ...spec }: PodSpec): PodSpec => spec;

function addPod(
  objects: GeneratedObjects,
  namespace: string,
  name: string,
  spec: PodSpec,
  owner?: KubeObject,
  labels?: Record<string, string>,
): void {
  const { dice } = objects;
  const isMirror = owner === undefined && dice.chance(0.1);
  const phase = dice.pick(['Running', 'Running', 'Running', 'Pending', 'Succeeded', 'Failed']);
  const metadata = {
    ...(isMirror ? { annotations: { 'kubernetes.io/config.mirror': 'abc' } } : {}),
    ...(labels === undefined ? {} : { labels }),
  };
  const at = { namespace, name, metadata, ...(owner === undefined ? {} : { owner }) };
  objects.add('v1', 'Pod', at, { spec, status: { phase, podIP: '10.1.1.1' } });
}

function addDeployment(objects: GeneratedObjects, namespace: string, name: string, podSpec: () => PodSpec): void {
  const { dice } = objects;
  const selector = { matchLabels: { name } };
  const spec = podSpec();
  const template = { metadata: { labels: { name } }, spec: bare(spec) };
  const replicas = dice.between(0, 2);
  const deployment = objects.add(
    'apps/v1',
    'Deployment',
    { namespace, name, metadata: { generation: dice.between(1, 5) } },
    { spec: { replicas, selector, template }, status: { replicas, readyReplicas: replicas } },
  );
  const set = objects.add(
    'apps/v1',
    'ReplicaSet',
    { namespace, name: `${name}-5d9c`, owner: deployment },
    { spec: { replicas, selector, template }, status: { replicas } },
  );
  for (let at = 0; at < replicas; at += 1) addPod(objects, namespace, `${name}-5d9c-${at}`, spec, set, { name });
}

function addStatefulSet(objects: GeneratedObjects, namespace: string, name: string, podSpec: () => PodSpec): void {
  const spec = podSpec();
  const template = { metadata: { labels: { name } }, spec: bare(spec) };
  const set = objects.add(
    'apps/v1',
    'StatefulSet',
    { namespace, name },
    { spec: { replicas: 1, serviceName: name, selector: { matchLabels: { name } }, template } },
  );
  addPod(objects, namespace, `${name}-0`, spec, set);
}

function addJob(objects: GeneratedObjects, namespace: string, name: string, podSpec: () => PodSpec): void {
  const { dice } = objects;
  const spec = podSpec();
  const isDone = dice.chance(0.5);
  const labels = { 'controller-uid': 'abc', 'batch.kubernetes.io/controller-uid': 'abc', 'job-name': name };
  const owner = dice.chance(0.3)
    ? objects.add('batch/v1', 'CronJob', { namespace, name: `${name}-cron` }, { spec: { schedule: '* * * * *' } })
    : undefined;
  const job = objects.add(
    'batch/v1',
    'Job',
    { namespace, name, metadata: { labels }, ...(owner === undefined ? {} : { owner }) },
    {
      spec: {
        selector: { matchLabels: { 'controller-uid': 'abc' } },
        template: { metadata: { labels }, spec: bare(spec) },
      },
      status: isDone ? { succeeded: 1, completionTime: '2029-12-01T11:00:00Z' } : { active: 1 },
    },
  );
  addPod(objects, namespace, `${name}-xyz`, spec, job);
}

function addService(objects: GeneratedObjects, namespace: string, name: string): void {
  const { dice } = objects;
  const type = dice.pick(['ClusterIP', 'NodePort', 'LoadBalancer', 'None', 'ExternalName']);
  const ports = [{ name: 'web', protocol: 'TCP', port: 80, targetPort: 80 }];
  // Names differ between clusters.
  const number = objects.all.length;
  const nodePort = 31_000 + number;
  const clusterIP = `10.96.100.${number}`;
  const addresses = { clusterIP, clusterIPs: [clusterIP], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' };
  const common = { sessionAffinity: 'None', internalTrafficPolicy: 'Cluster', ports };
  const outside = { externalTrafficPolicy: 'Cluster', ports: ports.map((port) => ({ ...port, nodePort })) };
  const spec = {
    ClusterIP: { type, ...common, ...addresses },
    NodePort: { type, ...common, ...addresses, ...outside },
    LoadBalancer: { type, ...common, ...addresses, ...outside },
    None: { type: 'ClusterIP', ...common, ...addresses, clusterIP: 'None', clusterIPs: ['None'] },
    ExternalName: { type, externalName: 'example.com', sessionAffinity: 'None' },
  }[type];
  objects.add('v1', 'Service', { namespace, name }, { spec, status: { loadBalancer: {} } });
  if (type === 'ExternalName' || dice.chance(0.3)) return;
  const subsets = [{ addresses: [{ ip: '10.1.1.1' }], ports: [{ name: 'web', port: 80 }] }];
  objects.add('v1', 'Endpoints', { namespace, name }, { subsets });
  objects.add(
    'discovery.k8s.io/v1',
    'EndpointSlice',
    { namespace, name: `${name}-abc`, metadata: { labels: { 'kubernetes.io/service-name': name } } },
    { addressType: 'IPv4', endpoints: [{ addresses: ['10.1.1.1'] }], ports: [{ name: 'web', port: 80 }] },
  );
}
