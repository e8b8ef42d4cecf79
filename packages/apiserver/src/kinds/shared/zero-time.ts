// The beginning of the year 1 is a time that was given and says nothing. Where a time may be left out, it is stored as null, and is
// another thing than one that was left out.
import { parseTime } from "@kubeloop/core/api";

export const zeroTime = "0001-01-01T00:00:00Z";

export const msOfTime = (time: string | null): number => parseTime(time ?? zeroTime);
