import { badFlag } from './refuse-flag.ts';

/**
 * Collects a flag of comma-separated names that may be given more than once. An empty name is refused: it may come from an empty
 * variable of a script, and would change the meaning of the command. @throws AppError BAD_FLAG
 */
export function collectList(flag: string): (text: string, before: readonly string[] | undefined) => string[] {
  return (text, before = []) => {
    const names = text.split(',').map((name) => name.trim());
    if (names.includes('')) throw badFlag(`${flag} has an empty name in it`, 'Write names separated by commas.');
    return [...before, ...names];
  };
}
