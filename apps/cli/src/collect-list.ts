import { badFlag } from './refuse-flag.ts';

/**
 * For flags of names separated by commas that may be given more than once: all of them. An empty name is refused, for a variable of a
 * script that is empty by mistake would otherwise change what is meant. @throws AppError BAD_FLAG
 */
export function collectList(flag: string): (text: string, before: readonly string[] | undefined) => string[] {
  return (text, before = []) => {
    const names = text.split(',').map((name) => name.trim());
    if (names.includes('')) throw badFlag(`${flag} has an empty name in it`, 'Write names separated by commas.');
    return [...before, ...names];
  };
}
