import { AppError } from '@lateen/errors';
import { isWebPage } from './said-text.ts';
import { notTheService, placeText, type StorePlace } from './store-place.ts';

/** A 2xx answer that cannot be one of the store's. `what` it should have been: `listing`, `token`. */
export function notWhatWasAsked(
  place: StorePlace,
  what: string,
  answer: { text: string; contentType?: string | undefined },
): AppError {
  const instead = isWebPage(answer.text, answer.contentType) ? 'a web page' : 'something else';
  return strange(`${placeText(place)} answers with ${instead} where a ${what} should be`, notTheService(place));
}

/** @param bytesMax what is read of such an answer at most */
export function tooLarge(place: StorePlace, what: string, bytesMax: number): AppError {
  return strange(
    `${placeText(place)} answers with ${what} that is larger than the ${bytesMax} bytes that are read`,
    notTheService(place),
  );
}

/** A 2xx answer that is the store's, but not whole. Another try may bring the rest. */
export function endsEarly(place: StorePlace, what: string): AppError {
  return new AppError('OBJECT_STORE_BAD_ANSWER', `${placeText(place)} answers with ${what} that ends early`, {
    retry: 'soon',
    nextStep: `Check the object store, or the gateway in front of it: its answer was cut.`,
  });
}

const strange = (message: string, nextStep: string): AppError =>
  new AppError('OBJECT_STORE_BAD_ANSWER', message, { retry: 'later', nextStep });
