import { type Job, jobType, type Pod, podType, secretType } from '@lateen/api-types';
import { keyOf, type ObjectKey, ownerReferenceTo } from '@lateen/kube';
import type { FakeCluster } from './fake-cluster.ts';
import type { PodEnd } from './pod-actor.ts';

/** The program in a Job's container, simulated by a test. */
export interface RunningJob {
  job: Job;
  pod: ObjectKey;
  /** Arguments of the first container. */
  args: readonly string[];
  /** An environment variable of the container; values from Secrets are read at its start. */
  env(name: string): string | undefined;
  /** Writes to the container's log. */
  write(text: string): void;
}

/** The exit of the program; default: exit code 0. */
export type JobProgram = (running: RunningJob) => Promise<PodEnd | undefined> | PodEnd | undefined;

/**
 * Simulates Job controller and kubelet for Jobs without retries: each Job gets a pod, which runs `program` at once. Returns a
 * function that ends this. An error of the program fails the test.
 */
export function jobActor(cluster: FakeCluster, program: JobProgram): () => void {
  return cluster.onChange(({ type, object }) => {
    if (type !== 'ADDED' || object.kind !== 'Job') return;
    void runJob(cluster, structuredClone(object) as unknown as Job, program);
  });
}

async function runJob(cluster: FakeCluster, job: Job, program: JobProgram): Promise<void> {
  // The controllers see the Job only after the API server has responded.
  await Promise.resolve();
  const pod = podOf(job);
  cluster.put(pod);
  const key = keyOf(pod);
  cluster.setPodPhase(key, 'Running', { nodeName: 'node-1' });
  const [container] = pod.spec.containers;
  const values = new Map((container?.env ?? []).map((each) => [each.name, valueOfVariable(cluster, key, each)]));
  const end = await program({
    job,
    pod: key,
    args: container?.args ?? [],
    env: (name) => values.get(name),
    write: (text) => cluster.podLogs.append(key, text),
  });
  // The pod was deleted meanwhile.
  if (cluster.find(podType, key) === undefined) return;
  const succeeded = (end?.exitCode ?? 0) === 0;
  cluster.setPodPhase(key, succeeded ? 'Succeeded' : 'Failed', end);
  const condition = succeeded
    ? { type: 'Complete', status: 'True' as const }
    : { type: 'Failed', status: 'True' as const, reason: 'BackoffLimitExceeded', message: 'Job has failed' };
  if (cluster.find(jobType, keyOf(job)) === undefined) return;
  cluster.change(jobType, keyOf(job), (stored) => {
    stored.status = { ...stored.status, conditions: [condition] };
  });
}

function podOf(job: Job): Pod {
  const { metadata, spec } = job.spec.template;
  const { name = '', namespace } = job.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${name}-x7k2p`,
      ...(namespace === undefined ? {} : { namespace }),
      uid: `pod-of-${job.metadata.uid}`,
      labels: { ...metadata?.labels, 'batch.kubernetes.io/job-name': name, 'job-name': name },
      ownerReferences: [ownerReferenceTo(job, { controller: true })],
    },
    spec,
    status: { phase: 'Pending' },
  };
}

interface Variable {
  value?: string;
  valueFrom?: { secretKeyRef?: { name: string; key: string } };
}

function valueOfVariable(cluster: FakeCluster, { namespace }: ObjectKey, variable: object): string | undefined {
  const { value, valueFrom } = variable as Variable;
  const from = valueFrom?.secretKeyRef;
  if (from === undefined) return value;
  const data = cluster.find(secretType, { namespace, name: from.name })?.data?.[from.key];
  return data === undefined ? undefined : Buffer.from(data, 'base64').toString('utf8');
}
