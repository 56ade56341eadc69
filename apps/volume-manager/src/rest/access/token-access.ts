import { createHash } from 'node:crypto';
import { AppError } from '@lateen/errors';
import { type Clock, orAborted } from '@lateen/kernel';
import type { KubeApi, ResourceType, Unstructured } from '@lateen/kube';
import type { Need } from '../serving/rest-call.ts';
import type { Access } from './access.ts';
import { bearerToken } from './bearer-token.ts';
import { BoundedAnswers } from './bounded-answers.ts';

const review = (group: string, resource: string, kind: string): ResourceType<Unstructured> => ({
  group,
  version: 'v1',
  resource,
  kind,
  namespaced: false,
});
const tokenReviewType = review('authentication.k8s.io', 'tokenreviews', 'TokenReview');
const accessReviewType = review('authorization.k8s.io', 'subjectaccessreviews', 'SubjectAccessReview');

/** How long a granted answer is cached: a revoked token or permission stays valid for this time. */
const grantedMs = 30_000;
/** Short, because the permission may have been granted a moment ago. */
const deniedMs = 5_000;
/** Limit of cached answers; each takes some hundred bytes. */
const answersMax = 1_000;
/** Time limit of a review: the cluster answers in milliseconds, or not at all. */
const reviewMs = 10_000;

interface User {
  readonly username: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export interface TokenAccessOptions {
  readonly api: KubeApi;
  readonly clock: Clock;
  /** The namespace of the storage objects. */
  readonly namespace: string;
}

/**
 * Asks the cluster for the user of a request's token, and whether this user may do the same with kubectl. Tokens are not stored: answers are cached
 * by a digest of the token.
 */
export function tokenAccess({ api, clock, namespace }: TokenAccessOptions): Access {
  const users = new BoundedAnswers<User | undefined>(clock, answersMax);
  const rights = new BoundedAnswers<boolean>(clock, answersMax);
  return {
    admit: async (authorization, needs, signal) => {
      const token = bearerToken(authorization);
      if (token === undefined) throw unauthorized('no token was sent');
      const key = createHash('sha256').update(token).digest('base64');
      // Other requests may wait for the same answer, so this request's abort must not end it.
      const ask = () => userOf(api, token, clock.deadline(reviewMs));
      const keepUserMs = (found: User | undefined) => (found === undefined ? deniedMs : grantedMs);
      const user = await orAborted(users.get(key, ask, keepUserMs), signal);
      if (user === undefined) throw unauthorized('the cluster does not know the token that was sent');
      for (const need of needs) {
        const attributes = { namespace, ...need };
        const question = JSON.stringify([key, attributes]);
        const askRight = () => mayDo(api, user, attributes, clock.deadline(reviewMs));
        const may = await orAborted(rights.get(question, askRight, keepRightMs), signal);
        if (!may) throw forbidden(user, attributes);
      }
      return user.username;
    },
  };
}

const keepRightMs = (granted: boolean) => (granted ? grantedMs : deniedMs);

/** The user of the token; undefined when the cluster does not know the token. */
async function userOf(api: KubeApi, token: string, signal: AbortSignal): Promise<User | undefined> {
  const asked = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', metadata: {}, spec: { token } };
  const { status } = await api.create(tokenReviewType, asked, { signal });
  const { authenticated, user } = (status ?? {}) as { authenticated?: boolean; user?: User };
  return authenticated === true && user !== undefined && user.username !== '' ? user : undefined;
}

async function mayDo(api: KubeApi, user: User, resourceAttributes: Need, signal: AbortSignal): Promise<boolean> {
  const { username, uid, groups, extra } = user;
  const asked = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    metadata: {},
    spec: { user: username, uid, groups, extra, resourceAttributes },
  };
  const { status } = await api.create(accessReviewType, asked, { signal });
  return (status as { allowed?: boolean } | undefined)?.allowed === true;
}

const unauthorized = (why: string): AppError =>
  new AppError('REST_UNAUTHORIZED', `Unauthorized: ${why}`, {
    nextStep:
      'Send a token of a service account as "Authorization: Bearer <token>", or as the password of basic authentication.',
  });

const forbidden = ({ username }: User, { verb, group, resource, namespace = '' }: Need): AppError =>
  new AppError(
    'REST_FORBIDDEN',
    `User ${JSON.stringify(username)} cannot ${verb} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(group)}${namespace === '' ? '' : ` in the namespace ${JSON.stringify(namespace)}`}`,
    { nextStep: 'Bind a role that grants it.', details: { user: username } },
  );
