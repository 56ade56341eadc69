import { AppError, type RetryFate } from '@lateen/errors';
import { age } from '@lateen/kernel';
import { tooShort } from '../byte-range.ts';
import { giveCredentials } from '../proxies/proxy-error.ts';
import { type Refusal, saidIn } from './refusal.ts';
import { notTheService, placeText, type StorePlace } from './store-place.ts';

/** Why a store refuses, in what all providers have in common. */
export type RefusalCause =
  | 'noBucket'
  | 'noObject'
  | 'tooShort'
  | 'redirect'
  | 'proxy'
  | 'clock'
  | 'expired'
  | 'disabled'
  | 'denied'
  | 'busy'
  | 'failing'
  | 'unable'
  | 'strange';

/** What a provider adds: it knows its codes. */
export interface ProviderWords {
  /** By code, when the code tells more than the status. */
  cause?: RefusalCause | undefined;
  /** Instead of the usual one for the cause. */
  nextStep?: string | undefined;
}

interface Said {
  code: string;
  message: string;
  retry: RetryFate;
  nextStep?: string;
}

/**
 * The error of the ObjectStore port for an answer outside 2xx, alike for all providers. `subject` is what was asked for:
 * `object "k"`, "" for the bucket itself.
 */
export function refusedError(
  refusal: Refusal,
  { subject, place, words = {} }: { subject: string; place: StorePlace; words?: ProviderWords },
): AppError {
  const cause = words.cause ?? causeOf(refusal, subject);
  const { code, message, retry, nextStep } = saidFor[cause](refusal, subject, place);
  const next = words.nextStep ?? nextStep;
  return new AppError(code, message, { retry, ...(next === undefined ? {} : { nextStep: next }) });
}

function causeOf({ status, isHtml }: Refusal, subject: string): RefusalCause {
  if (status >= 300 && status < 400) return 'redirect';
  if (status === 404) return isHtml ? 'strange' : subject === '' ? 'noBucket' : 'noObject';
  if (status === 416 && subject !== '') return 'tooShort';
  if (status === 407) return 'proxy';
  if (status === 401 || status === 403) return 'denied';
  if (status === 408 || status === 429) return 'busy';
  if (status === 501) return 'unable';
  return status >= 500 ? 'failing' : 'strange';
}

const unavailable = 'OBJECT_STORE_UNAVAILABLE';
const forbidden = 'OBJECT_STORE_FORBIDDEN';
const badAnswer = 'OBJECT_STORE_BAD_ANSWER';
type Telling = (refusal: Refusal, subject: string, place: StorePlace) => Said;

/** Answers that are the same but for the reason between "refuses access" and what the store says, and the next step. */
const refuses =
  (reason: (refusal: Refusal) => string, nextStep: string): Telling =>
  (refusal, _, place) => ({
    code: forbidden,
    message: `${placeText(place)} refuses access${reason(refusal)} (${saidIn(refusal)})`,
    retry: 'later',
    nextStep,
  });
const answers =
  (retry: RetryFate, nextStep: string): Telling =>
  (refusal, _, place) => ({
    code: unavailable,
    message: `${placeText(place)} answers ${saidIn(refusal)}`,
    retry,
    nextStep,
  });

const saidFor: Readonly<Record<RefusalCause, Telling>> = {
  noBucket: (refusal, _, place) => ({
    code: 'BUCKET_NOT_FOUND',
    message: `${placeText(place)} does not exist (${saidIn(refusal)})`,
    retry: 'later',
    nextStep: `Create the ${place.kind}, or correct spec.objectStorage.bucket.`,
  }),
  noObject: (_, subject, place) => ({
    code: 'OBJECT_NOT_FOUND',
    message: `${subject} is not in ${placeText(place)}`,
    retry: 'never',
  }),
  tooShort: (_, subject, place) => {
    const { code, message, retry } = tooShort(subject, placeText(place));
    return { code, message, retry };
  },
  redirect: (refusal, _, place) => ({
    code: badAnswer,
    message: `${placeText(place)} redirects to ${targetText(refusal)} (${saidIn(refusal)}), which is not followed`,
    retry: 'later',
    nextStep: redirectStep(refusal, place),
  }),
  proxy: (refusal, _, place) => ({
    code: badAnswer,
    message: `a proxy before ${placeText(place)} asks for credentials of its own (${saidIn(refusal)})`,
    retry: 'later',
    nextStep: giveCredentials,
  }),
  clock: refuses(
    ({ clockSkewMs }) => ` because its clock and ours differ${skewText(clockSkewMs)}`,
    'Set the clock of the node, or that of the object store (NTP).',
  ),
  expired: refuses(() => ' because the credentials have expired', 'Put fresh credentials into the Secret.'),
  disabled: refuses(
    () => ' because the account is disabled',
    'Ask the owner of the account to enable it, or its billing, again.',
  ),
  denied: (refusal, subject, place) => {
    const nextStep = refusal.isHtml
      ? notTheService(place)
      : `Check the keys in the Secret and what their owner may do with the ${place.kind}.`;
    return refuses(() => '', nextStep)(refusal, subject, place);
  },
  busy: answers('soon', 'It is overloaded. The request is retried automatically; raise its limits if this continues.'),
  failing: answers(
    'soon',
    'The request is retried automatically; check the object store, or the gateway in front of it, if this continues.',
  ),
  unable: answers('later', 'Check that the object store can do what spec.config asks of it.'),
  strange: (refusal, subject, place) => {
    const { status, code, wantsTls } = refusal;
    const said = code === '' ? saidIn(refusal) : `HTTP ${status} (${saidIn(refusal)})`;
    return {
      code: badAnswer,
      message: `${placeText(place)} answers ${said} for ${subject || `the ${place.kind}`}`,
      retry: 'later',
      nextStep: wantsTls && place.setting !== '' ? withHttps(place) : notTheService(place),
    };
  },
};

const withHttps = ({ setting }: StorePlace): string => `Write ${setting} with https.`;
const targetText = ({ redirect }: Refusal): string => redirect?.host ?? 'another address';

function redirectStep({ redirect }: Refusal, place: StorePlace): string {
  const { setting, host, tls } = place;
  if (redirect !== undefined && redirect.host.split(':')[0] === host.split(':')[0] && setting !== '') {
    if (redirect.tls && !tls) return withHttps(place);
    if (redirect.host === host) return `It redirects in a loop; check ${setting}.`;
  }
  return setting === '' ? notTheService(place) : `Set ${setting} to the address that answers itself.`;
}

function skewText(clockSkewMs: number | undefined): string {
  const skewMs = Math.abs(clockSkewMs ?? 0);
  return skewMs < 30_000 ? '' : ` by ${age(skewMs)}`;
}
