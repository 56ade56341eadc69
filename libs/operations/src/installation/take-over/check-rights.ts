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

/**
 * Rights that our manifests give neither the controller, which reads and creates everything for backups and restores, nor the node-agent
 * (deploy/base). A cluster-admin has all of them.
 */
const questions: readonly Question[] = [
  { text: 'delete nodes', attributes: { verb: 'delete', resource: 'nodes' } },
  { text: 'delete Secrets of every namespace', attributes: { verb: 'delete', resource: 'secrets' } },
  { text: 'act as other users', attributes: { verb: 'impersonate', resource: 'users' } },
];

/** How long kube-apiserver may take to notice a deleted binding; it learns of it by a watch, mostly at once. */
const settleMs = 10_000;
const lookAgainMs = 500;

/**
 * Checks by the API server whether these service accounts have more rights than Lateen needs, and waits a moment for bindings that were just
 * deleted. @throws AppError RIGHTS_TOO_WIDE with the API server's own reason; what {@link KubeApi.create} throws when the user may not
 * create access reviews
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

/** The reason why the right is granted; undefined: it is not. */
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
