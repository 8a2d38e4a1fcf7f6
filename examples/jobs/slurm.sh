#!/bin/bash
# One share of a transfer for each index of a job array:
#
#   sbatch --array=0-7 slurm.sh PLAN 8
#
# The count is given and not SLURM_ARRAY_TASK_COUNT, which is 1 when one index alone is submitted again (--array=3). That is the number of processes that use the bucket
# at the same time, however.
#SBATCH --job-name=zargo-transfer
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --ntasks=1

# exec, so that Slurm sees the exit code of zargo. With RequeueExit=75 in slurm.conf a share that met a transient error starts again.
exec zargo transfer run "$1" --task-count "$2" --fleet "${SLURM_ARRAY_TASK_COUNT:-1}" "${@:3}"
