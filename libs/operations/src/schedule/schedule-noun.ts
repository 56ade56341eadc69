import { type Schedule, scheduleType } from '@lateen/api-types';
import type { Noun } from '../noun/noun.ts';

export const scheduleNoun: Noun<Schedule> = {
  type: scheduleType,
  word: 'schedule',
  notFoundCode: 'SCHEDULE_NOT_FOUND',
};
