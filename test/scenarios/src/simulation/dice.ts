import type { Random } from '@lateen/kernel';
import { seededRandom } from '@lateen/testing';

/** Random choices in the forms that a simulation needs. */
export class Dice {
  readonly random: Random;

  constructor(random: Random) {
    this.random = random;
  }

  chance(probability: number): boolean {
    return this.random.next() < probability;
  }

  /** A whole number between the two, both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.random.next() * (most - least + 1));
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[this.between(0, from.length - 1)];
    if (picked === undefined) throw new RangeError('there is nothing to pick from');
    return picked;
  }
}

/**
 * One sequence per purpose, so that an additional draw in one place does not change the others. A seed still gives about the same run after
 * a change of the code.
 */
export function diceFor(seed: number, purpose: string): Dice {
  let mixed = 0x811c9dc5 ^ seed;
  for (const character of purpose) mixed = Math.imul(mixed ^ character.charCodeAt(0), 0x01000193);
  return new Dice(seededRandom(Math.imul(mixed ^ (seed * 0x9e3779b1), 0x85ebca6b)));
}
