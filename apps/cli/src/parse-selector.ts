import type { LabelSelector } from '@lateen/api-types';
import { isAppError } from '@lateen/errors';
import { parseSelector as parse } from '@lateen/kube';
import { badFlag } from './refuse-flag.ts';

/** Reads a label selector as kubectl writes it. @throws AppError BAD_FLAG naming the part that is wrong */
export function parseSelector(flag: string, text: string): LabelSelector {
  if (text.trim() === '') throw badFlag(`flag must have a non-empty value: ${flag}`);
  try {
    return parse(text);
  } catch (error) {
    throw isAppError(error, 'LABEL_SELECTOR_INVALID') ? badFlag(`${flag}: ${error.message}`) : error;
  }
}

/** `a=b or c=d`: one selector each. @throws AppError BAD_FLAG */
export const parseOrSelectors = (flag: string, text: string): LabelSelector[] =>
  text.split(/\s+or\s+/).map((each) => parseSelector(flag, each));
