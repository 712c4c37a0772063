! Delays that are known, as in planted.c, through one of Fortran's three bindings: -DMPIF_H, -DUSE_MPI or -DUSE_F08.
program planted
#ifdef USE_F08
  use mpi_f08
#endif
#ifdef USE_MPI
  use mpi
#endif
  implicit none
#ifdef MPIF_H
  include 'mpif.h'
#endif
  interface
    function usleep(microseconds) bind(c, name='usleep')
      use iso_c_binding, only: c_int
      integer(c_int), value :: microseconds
      integer(c_int) :: usleep
    end function
  end interface
  integer, parameter :: rounds = 20, large = 524288
  integer :: rank, ierror, round, pause_us, words, ignored, checked
  character(len=32) :: what, number
  double precision, allocatable :: buffer(:)
#ifdef USE_F08
  type(MPI_Request) :: request, requests(2)
#else
  integer :: request, requests(2)
#endif
  double precision :: more(1)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call get_command_argument(1, what)
  call get_command_argument(2, number)
  read (number, *) pause_us
  pause_us = pause_us * 1000
  words = 1
  if (what == 'rendezvous') words = large
  allocate (buffer(words))
  checked = 0
  do round = 1, rounds
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    if (rank == 0) then
      buffer(1) = round
      if (what == 'late_sender' .or. what == 'waitall') ignored = usleep(pause_us)
      call MPI_Send(buffer, words, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, ierror)
      if (what == 'waitall') call MPI_Send(buffer, 1, MPI_DOUBLE_PRECISION, 1, 2, MPI_COMM_WORLD, ierror)
    else if (rank == 1) then
      if (what == 'asleep') then
        call MPI_Irecv(buffer, words, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, request, ierror)
        ignored = usleep(pause_us)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
      else if (what == 'waitall') then
        call MPI_Irecv(buffer, 1, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, requests(1), ierror)
        call MPI_Irecv(more, 1, MPI_DOUBLE_PRECISION, 0, 2, MPI_COMM_WORLD, requests(2), ierror)
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
      else
        if (what /= 'late_sender') ignored = usleep(pause_us)
        call MPI_Recv(buffer, words, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
      end if
      checked = checked + int(buffer(1))
    end if
  end do
  print '(a,i0,a,i0)', 'rank ', rank, ' got ', checked
  call MPI_Finalize(ierror)
end program
