import type { ResourceType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import type { KubeApi, Unstructured } from '@lateen/kube';
import { userOf } from './wide-bindings.ts';

const reviewType: ResourceType<Unstructured> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  resource: 'subjectaccessreviews',
  kind: 'SubjectAccessReview',
  namespaced: false,
};

interface Question {
  text: string;
  attributes: { verb: string; resource: string; group?: string; namespace?: string };
}

/** What neither controller, which reads and makes everything for backups and restores, nor node-agent may do anywhere (deploy/base); a cluster-admin may do all of it. */
const questions: readonly Question[] = [
  { text: 'delete nodes', attributes: { verb: 'delete', resource: 'nodes' } },
  { text: 'delete Secrets of every namespace', attributes: { verb: 'delete', resource: 'secrets' } },
  { text: 'act as other users', attributes: { verb: 'impersonate', resource: 'users' } },
];

/** kube-apiserver learns of a binding that has gone by a watch: mostly at once. */
const settleMs = 10_000;
const lookAgainMs = 500;

/**
 * Asks the API server whether these service accounts may do more than Lateen needs, and gives it a moment to learn of
 * bindings that have just gone. @throws AppError RIGHTS_TOO_WIDE with the API server's own reason; what
 * {@link KubeApi.create} throws, where nobody may ask
 */
export async function checkRights(
  kube: KubeApi,
  namespace: string,
  accounts: ReadonlySet<string>,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<void> {
  const giveUpMs = clock.monotonicMs() + settleMs;
  for (const account of accounts)
    for (const question of questions)
      for (;;) {
        const reason = await allowedBecause(kube, namespace, account, question, signal);
        if (reason === undefined) break;
        if (clock.monotonicMs() >= giveUpMs)
          throw new AppError(
            'RIGHTS_TOO_WIDE',
            `ServiceAccount ${namespace}/${account} may ${question.text}, which Lateen never does: ${reason}`,
            { nextStep: 'Everything is installed and runs. Remove the account from that binding.' },
          );
        await clock.sleep(lookAgainMs, signal);
      }
}

/** Undefined: it may not. */
async function allowedBecause(
  kube: KubeApi,
  namespace: string,
  account: string,
  { attributes }: Question,
  signal: AbortSignal,
): Promise<string | undefined> {
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: reviewType.kind,
    metadata: {},
    spec: { user: userOf(namespace, account), groups, resourceAttributes: attributes },
  };
  const { status } = (await kube.create(reviewType, review, { signal })) as {
    status?: { allowed?: boolean; reason?: string };
  };
  if (status?.allowed !== true) return undefined;
  return status.reason || 'the API server gives no reason';
}
