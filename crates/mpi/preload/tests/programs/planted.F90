! Delays that are known, as in planted.c, through one of Fortran's three bindings: -DMPIF_H, -DUSE_MPI or -DUSE_F08.
module machine
  use iso_c_binding
  implicit none
  type, bind(c) :: timespec
    integer(c_long) :: seconds, nanoseconds
  end type
  interface
    function clock_gettime(which, time) bind(c, name='clock_gettime')
      import
      integer(c_int), value :: which
      type(timespec) :: time
      integer(c_int) :: clock_gettime
    end function
    function usleep(microseconds) bind(c, name='usleep')
      import
      integer(c_int), value :: microseconds
      integer(c_int) :: usleep
    end function
  end interface
contains
  integer(8) function now()
    type(timespec) :: time
    integer :: ignored
    ignored = clock_gettime(1, time)
    now = time%seconds * 1000000000_8 + time%nanoseconds
  end function
end module

program planted
#ifdef USE_F08
  use mpi_f08
#endif
#ifdef USE_MPI
  use mpi
#endif
  use machine
  implicit none
#ifdef MPIF_H
  include 'mpif.h'
#endif
  integer, parameter :: large = 524288
  integer :: rank, ierror, round, rounds, pause_us, words, checked, comma, other
  character(len=256) :: kinds, kind, number
  double precision, allocatable :: buffer(:)
  double precision :: more(1)
  integer(8) :: aligned, posted, entered, left
  integer(8), allocatable :: stamps(:, :), by_all(:, :, :)
#ifdef USE_F08
  type(MPI_Request) :: request, requests(2)
#else
  integer :: request, requests(2)
#endif

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call get_command_argument(1, kinds)
  call get_command_argument(2, number)
  read (number, *) pause_us
  pause_us = pause_us * 1000
  rounds = 20
  call get_command_argument(3, number)
  if (number /= '') read (number, *) rounds
  allocate (buffer(large), stamps(4, rounds), by_all(4, rounds, 0:63))
  buffer = 0
  checked = 0
  do while (kinds /= '')
    comma = index(kinds, ',')
    if (comma == 0) comma = len_trim(kinds) + 1
    kind = kinds(:comma - 1)
    kinds = kinds(comma + 1:)
    words = 1
    if (kind == 'rendezvous') words = large
    do round = 1, rounds
      aligned = now()
      call MPI_Barrier(MPI_COMM_WORLD, ierror)
      if (any(kind == ['bcast    ', 'reduce   ', 'allreduce', 'barrier  '])) then
        call collective()
      else if (rank == 0) then
        buffer(1) = round
        call send()
      else if (rank == 1) then
        call receive()
        checked = checked + int(buffer(1))
      end if
      stamps(:, round) = [aligned, posted, entered, left]
    end do
    if (number /= '') then
      call MPI_Gather(stamps, 4 * rounds, MPI_INTEGER8, by_all, 4 * rounds, MPI_INTEGER8, 0, MPI_COMM_WORLD, ierror)
      if (rank == 0) then
        do round = 1, 2 * rounds
          other = (round - 1) / rounds
          print '(a,a,5(x,i0))', 'at ', trim(kind), other, by_all(:, round - other * rounds, other)
        end do
      end if
    end if
  end do
  if (number == '') print '(a,i0,a,i0)', 'rank ', rank, ' got ', checked
  call MPI_Finalize(ierror)
contains
  subroutine pause_if(late)
    logical, intent(in) :: late
    integer :: ignored
    if (late) ignored = usleep(pause_us)
  end subroutine

  subroutine send()
    if (kind == 'waitall') call MPI_Send(more, 1, MPI_DOUBLE_PRECISION, 1, 2, MPI_COMM_WORLD, ierror)
    call pause_if(kind == 'late_sender' .or. kind == 'waitall')
    entered = now()
    posted = entered
    call MPI_Send(buffer, words, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, ierror)
    left = now()
  end subroutine

  subroutine receive()
    call pause_if(kind == 'unexpected' .or. kind == 'rendezvous')
    posted = now()
    entered = posted
    if (kind == 'asleep') then
      call MPI_Irecv(buffer, words, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, request, ierror)
      call pause_if(.true.)
      entered = now()
      call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    else if (kind == 'waitall') then
      call MPI_Irecv(buffer, 1, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, requests(1), ierror)
      call MPI_Irecv(more, 1, MPI_DOUBLE_PRECISION, 0, 2, MPI_COMM_WORLD, requests(2), ierror)
      entered = now()
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
    else
      call MPI_Recv(buffer, words, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    end if
    left = now()
  end subroutine

  subroutine collective()
    double precision :: given(1), got(1)
    given = rank
    call pause_if(rank == merge(0, 1, kind == 'bcast'))
    entered = now()
    posted = entered
    if (kind == 'bcast') then
      call MPI_Bcast(given, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierror)
    else if (kind == 'reduce') then
      call MPI_Reduce(given, got, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
    else if (kind == 'allreduce') then
      call MPI_Allreduce(given, got, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
    else
      call MPI_Barrier(MPI_COMM_WORLD, ierror)
    end if
    left = now()
  end subroutine
end program
