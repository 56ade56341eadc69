import { parseObjectName } from '../noun/object-name.ts';
import { locationNoun } from './find-locations.ts';

/** A location's name as it was given. @throws AppError BAD_ARGUMENT when no object can have this name */
export const parseLocationName = (text: string): string => parseObjectName(locationNoun, text);
